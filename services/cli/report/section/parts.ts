import { html, type Markup, type Part } from '../markup.ts';

export const section = (title: string, says: string, content: Part): Markup =>
  html`<section><h2>${title}</h2><p class="says">${says}</p>${content}</section>`;

export const figure = (title: string, content: Part): Markup =>
  html`<figure><figcaption>${title}</figcaption>${content}</figure>`;

/** Numbers stand to the right; a table that is wider than the page is scrolled by itself. */
export const table = (head: readonly string[], rows: readonly (readonly Part[])[]): Markup => {
  const isNumber = head.map((_, column) =>
    rows.every((row) => typeof row[column] !== 'object' && looksNumeric(row[column])),
  );
  const classOf = (column: number): string => (isNumber[column] ? 'num' : 'text');
  return html`<div class="scroll"><table><thead><tr>${head.map((name, column) => html`<th class="${classOf(column)}">${name}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell, column) => html`<td class="${classOf(column)}">${cell}</td>`)}</tr>`)}</tbody></table></div>`;
};

/** Names and what they are, in columns. */
export const facts = (all: readonly (readonly [name: string, what: Part])[]): Markup =>
  html`<dl class="facts">${all.map(([name, what]) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`)}</dl>`;

const looksNumeric = (cell: Part | undefined): boolean => /^[−+–$\d][\d.,\u202f %–$smin()]*$/.test(String(cell));

export const none = (says: string): Markup => html`<p class="none">${says}</p>`;
