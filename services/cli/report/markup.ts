import { visible } from '../visible.ts';

/** Markup that is safe to show: `html` makes it, and escapes everything that it is given unless that is markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | null | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, at) => text + (at < parts.length ? textOf(parts[at] ?? null) : '')).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'number') return String(part);
  return typeof part === 'string' ? escaped(part) : part.map(textOf).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

const escaped = (text: string): string => visible(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? '');

/** The beginning of a long text, and how much is left out. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n… and ${text.length - most} characters more`;
