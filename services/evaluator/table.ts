import type { z } from 'zod';
import { nearest } from '#kit/nearest';
import type { Finding } from '#protocol/finding';

/** A file of keys and values, or why it cannot be read. */
export type Table = {
  readonly file: string;
  /** The first part of the codes of its findings. */
  readonly stage: 'task' | 'train';
  lineOf(key: string): number | null;
} & ({ readonly values: unknown } | { readonly unreadable: string; readonly line: number });

export type Fitted<T> =
  | { readonly value: T; lineOf(key: string): number | null }
  | { readonly findings: readonly Finding[] };

/** A value in a sentence: short, on one line, printable. */
export function quote(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/[^\x20-\x7e]/g, '?');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Checks a table against its schema: everything that does not fit becomes a finding. */
export function validated<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  table: Table,
): Fitted<z.infer<z.ZodObject<S>>> {
  const { file, stage } = table;
  const unreadable = (line: number, sentence: string): Fitted<never> => ({
    findings: [{ code: `${stage}/unreadable`, file, line, sentence }],
  });
  if ('unreadable' in table)
    return unreadable(table.line, `${file} cannot be read: ${quote(table.unreadable).slice(1, -1)}`);
  const { values } = table;
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return unreadable(
      1,
      `${file} is ${quote(values)}: it must be an object of ${Object.keys(schema.shape).join(', ')}`,
    );
  const parsed = schema.safeParse(values);
  if (parsed.success) return { value: parsed.data, lineOf: table.lineOf };
  const given = new Map(Object.entries(values));
  return {
    findings: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, Object.keys(schema.shape), table))
        : [unfitValue(String(issue.path[0]), issue.message, { ...table, given })],
    ),
  };
}

function unknownKey(key: string, known: string[], { file, stage, lineOf }: Table): Finding {
  const sentence = `${quote(key)} means nothing; ${nearest(key, known)}`;
  return { code: `${stage}/unknown-key`, file, line: lineOf(key), sentence };
}

function unfitValue(
  key: string,
  why: string,
  { file, stage, lineOf, given }: Table & { given: Map<string, unknown> },
): Finding {
  const said = given.has(key) ? `${key} is ${quote(given.get(key))}` : `${key} is missing`;
  return { code: `${stage}/unfit-value`, file, line: lineOf(key), sentence: `${said}: ${quote(why).slice(1, -1)}` };
}
