import { z } from 'zod';
import type { Role } from './roles.ts';

/**
 * Things that are, as opposed to things that happen: kept in a bucket under `run.key`, read and watched.
 * A version only ever rises, so writing a value twice, or late, changes nothing.
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
  // as in message.ts: zod does not recognise the output of a generic shape, which this is
  body: z.strictObject({ ...body, version: z.int().nonnegative() }) as unknown as z.ZodType<Versioned<S>>,
});

/** Big things, named by the hash of their bytes, in a store of their own for each domain of trust. */
export interface BlobStore {
  readonly name: string;
  readonly writers: readonly Role[];
  readonly readers: readonly Role[];
  /** Of one blob: a reader holds the whole of it, whoever wrote it. */
  readonly mostBytes: number;
}
