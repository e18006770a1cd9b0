import { visible } from './visible.ts';

/** Prints a line, or a JSON document for programs, on standard output. */
export const say = (line = ''): void => void process.stdout.write(`${harmless(line)}\n`);
export const sayJson = (value: unknown): void => say(JSON.stringify(value, null, 2));
export const warn = (line: string): void => void process.stderr.write(`${harmless(line)}\n`);

const ours = new RegExp(`(${String.fromCharCode(27)}\\[(?:0|1|2|31|32)m)`);

/**
 * Failures and findings quote what agents and pods wrote: of all that could be an order to the terminal our colours
 * stay.
 */
export const harmless = (line: string): string =>
  line
    .split(ours)
    .map((part, at) => (at % 2 === 1 ? part : visible(part).replaceAll('\r', '\\r')))
    .join('');

export const isColoured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const paint =
  (code: number) =>
  (text: string): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
export const dim = paint(2);
export const bold = paint(1);
export const red = paint(31);
export const green = paint(32);

/** Lines of a table: columns as wide as their widest cell, two spaces apart, numbers right-aligned. */
export function table(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A wrong command line: exit code 2. The message quotes what is wrong, and says what would be right. */
export class UsedWrongly extends Error {}
