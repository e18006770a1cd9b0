import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { isService, services } from '#protocol/roles';
import { nearest } from './nearest.ts';

/** The knobs of every process of Uplift. A service adds its own in its `config.ts`. */
export const commonKnobs = {
  /** Where NATS listens. */
  natsUrl: z.string().default('nats://127.0.0.1:4222'),
  /** The user to log in as, if it is not the name of the service. */
  natsUser: z.string().optional(),
  /** The password of this role; the launcher makes a new one at every start. */
  natsPassword: z.string().optional(),
  /** The server does not have our accounts: every role can do everything. */
  natsFlat: z.boolean().default(false),
  /** Port of /metrics and /healthz, on loopback; 0: any free one. */
  httpPort: z.int().min(0).max(65_535).default(0),
  /** Which place of its service this process fills (`p1`, `p2`, …), if the service has places. */
  place: z.string().optional(),
  /** How long work in progress may take after SIGTERM, seconds. */
  drainSeconds: z
    .number()
    .min(0)
    .max(24 * 3_600)
    .default(8),
};

/** UPLIFT_… variables that are not knobs of a process, and are read elsewhere. */
const elsewhere = ['HOME', 'CONFIG', 'LOG_LEVEL', 'NATS_ARCHIVE_URL'];

/** A wrong configuration: the message quotes what is wrong and says what would be right. */
export class ConfigError extends Error {}

interface Source {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A TOML file: common knobs at the top level, those of a service in a table of its name. */
  readonly file?: string | undefined;
}

/**
 * A frozen configuration: defaults, overridden by the file, overridden by the environment (`UPLIFT_…` for common knobs,
 * `UPLIFT_<SERVICE>_…` for those of a service). Throws `ConfigError` on an unknown name or a wrong value.
 */
export function readConfig<S extends z.ZodRawShape>(
  role: string,
  knobs: S,
  source: Source,
): Readonly<z.infer<z.ZodObject<S>>> {
  const raw: Record<string, unknown> = { ...fromFile(role, knobs, source.file), ...fromEnv(role, knobs, source.env) };
  const parsed = z.strictObject(knobs).safeParse(raw);
  if (parsed.success) return Object.freeze(parsed.data);
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  throw new ConfigError(`${role}: ${name} is ${quoted(raw[name])}: ${issue?.message}`);
}

/** JSON has no NaN. */
export const quoted = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value));

const has = Object.hasOwn;

function fromFile(role: string, knobs: z.ZodRawShape, file: string | undefined): Record<string, unknown> {
  if (!file) return {};
  const { tables, top } = split(parsedToml(file));
  for (const name of Object.keys(tables))
    if (!isService(name)) throw new ConfigError(`${file}: ${unknown(`[${name}]`, name, [...services])}`);
  const own = isService(role) ? (tables[role] ?? {}) : {};
  for (const name of Object.keys(top))
    if (!has(commonKnobs, name)) throw new ConfigError(`${file}: ${unknown(name, name, Object.keys(commonKnobs))}`);
  for (const name of Object.keys(own))
    if (!has(knobs, name)) throw new ConfigError(`${file}: ${unknown(name, name, Object.keys(knobs))}`);
  return { ...pick(top, knobs), ...own };
}

function parsedToml(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function split(all: Record<string, unknown>) {
  const tables: [string, Record<string, unknown>][] = [];
  const top: [string, unknown][] = [];
  for (const [name, value] of Object.entries(all))
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date))
      tables.push([name, { ...value }]);
    else top.push([name, value]);
  return { tables: Object.fromEntries(tables), top: Object.fromEntries(top) };
}

const pick = (all: Record<string, unknown>, knobs: z.ZodRawShape): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => has(knobs, name)));

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

function fromEnv(role: string, knobs: z.ZodRawShape, env: Source['env']): Record<string, unknown> {
  const names = new Map(Object.keys(knobs).map((name) => [envNameOf(role, name), name]));
  const others = services.filter((one) => one !== role).map((one) => `UPLIFT_${one.toUpperCase()}_`);
  const known = [...new Set([...names.keys(), ...Object.keys(commonKnobs).map((name) => envNameOf(role, name))])];
  const found: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('UPLIFT_') || text === undefined || isElsewhere(variable, others)) continue;
    const name = names.get(variable);
    if (name) found[name] = meaningOf(knobs[name], text);
    else if (!known.includes(variable)) throw new ConfigError(`environment: ${unknown(variable, variable, known)}`);
  }
  return found;
}

const isElsewhere = (variable: string, others: string[]): boolean =>
  variable.startsWith('UPLIFT_TEST_') ||
  elsewhere.some((name) => variable === `UPLIFT_${name}`) ||
  others.some((prefix) => variable.startsWith(prefix));

const envNameOf = (role: string, knob: string): string =>
  has(commonKnobs, knob) ? `UPLIFT_${snake(knob)}` : `UPLIFT_${role.toUpperCase()}_${snake(knob)}`;

/** The text itself if the knob accepts it; otherwise its value as JSON: a number, true or false, a list. */
function meaningOf(knob: z.core.$ZodType | undefined, text: string): unknown {
  if (knob && z.safeParse(knob, text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const unknown = (shown: string, name: string, known: readonly string[]): string =>
  `${shown} is not known here; ${nearest(name, known)}`;
