/**
 * One line of a frame: pieces of text, each in one colour. The text may come from anywhere, so it is made safe first.
 */
type Colour = 'plain' | 'dim' | 'bold' | 'red' | 'green';
interface Piece {
  readonly text: string;
  readonly colour: Colour;
}
export type Line = readonly Piece[];

const codes: Readonly<Record<Colour, number>> = { plain: 0, bold: 1, dim: 2, red: 31, green: 32 };
const piece =
  (colour: Colour) =>
  (text: string): Piece => ({ text: plain(text), colour });
export const text = piece('plain');
export const bold = piece('bold');
export const dim = piece('dim');
export const red = piece('red');
export const green = piece('green');

/**
 * Afterwards every character is one column wide, and none is a control sequence: what is neither Latin nor one of our
 * own symbols becomes a question mark.
 */
const plain = (text: string): string =>
  text.replaceAll(/\s/g, ' ').replaceAll(/[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u00ff–—…·→▁-█░]/gu, '?');

/** As much of a line as fits; an ellipsis shows that it was cut. */
export function render(line: Line, columns: number, colour: boolean): string {
  let room = Math.max(0, columns);
  const length = line.reduce((sum, { text }) => sum + text.length, 0);
  if (length > room && room > 0) room -= 1;
  const shown: string[] = [];
  for (const { text, colour: how } of line) {
    const part = text.slice(0, room);
    room -= part.length;
    if (part.length > 0) shown.push(colour && how !== 'plain' ? `\u001b[${codes[how]}m${part}\u001b[0m` : part);
  }
  return shown.join('') + (length > columns && columns > 0 ? '…' : '');
}
