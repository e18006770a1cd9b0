// 96 tokens: the 95 printable ASCII characters, and one boundary. The boundary begins a prompt, ends a completion and
// would pad a batch (batches are packed, so none does): one token is enough for three tasks, as in GPT-2.
export const BOUNDARY = 0;
export const TOKENS = 96;

const FIRST = ' '.charCodeAt(0) - 1; // token 1 is the space

/** Tokens of a text, one per character. */
export function encode(text: string): number[] {
  return Array.from(text, (character) => {
    const token = (character.codePointAt(0) ?? 0) - FIRST;
    if (token < 1 || token >= TOKENS) {
      throw new RangeError(
        `micro reads printable ASCII only; ${JSON.stringify(text)} has ${JSON.stringify(character)}`,
      );
    }
    return token;
  });
}

/** The text of tokens; a boundary is no text. */
export function decode(tokens: readonly number[]): string {
  return tokens.map((token) => (token === BOUNDARY ? '' : String.fromCharCode(token + FIRST))).join('');
}
