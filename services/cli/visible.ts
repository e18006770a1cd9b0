/** Control characters, and those that turn the direction of writing. */
const invisible = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * What others wrote, for a page or a terminal: it must not look like another text, nor be an order to the terminal. What
 * cannot be seen stands there by its number, as JSON writes it too; lines and tabs stay.
 */
export const visible = (text: string): string =>
  text.replace(invisible, (character) =>
    /[\t\n\r]/.test(character) ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
