import { z } from 'zod';
import type { Role } from './roles.ts';

/**
 * Something that is, as opposed to a message, which happens. It is kept in a bucket under `run.key`, and read there.
 * Its version only ever rises, so writing it twice, or late, changes nothing.
 */
export interface Value<Body extends { version: number } = { version: number }> {
  readonly name: string;
  readonly writer: Role;
  readonly readers: readonly Role[];
  readonly body: z.ZodType<Body>;
}

type Versioned<S extends z.ZodRawShape> = z.infer<z.ZodObject<S>> & { version: number };
interface Declaration<S extends z.ZodRawShape> {
  readonly writer: Role;
  readonly readers: readonly Role[];
  readonly body: S;
}

export const value = <S extends z.ZodRawShape>(
  name: string,
  { writer, readers, body }: Declaration<S>,
): Value<Versioned<S>> => ({
  name,
  writer,
  readers,
  // as in message.ts: zod's types do not show the output of a generic shape
  body: z.strictObject({ ...body, version: z.int().nonnegative() }) as unknown as z.ZodType<Versioned<S>>,
});

/** Big things, named by the hash of their bytes, in a store of their own for each domain of trust. */
export interface BlobStore {
  readonly name: string;
  readonly writers: readonly Role[];
  readonly readers: readonly Role[];
  /** The largest blob: a reader holds a whole blob in memory, whoever wrote it. */
  readonly mostBytes: number;
}
