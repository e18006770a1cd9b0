import { readFileSync } from 'node:fs';
import { closestMatch } from 'leven';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { isService, services } from '#protocol/roles';

/** What every process of Uplift can be told. A service adds its own knobs in its `config.ts`. */
export const commonKnobs = {
  /** Where NATS listens. */
  natsUrl: z.string().default('nats://127.0.0.1:4222'),
  /** Where it is not the name of the service. */
  natsUser: z.string().optional(),
  /** Of this role; the launcher makes one at every start. */
  natsPassword: z.string().optional(),
  /** The server has no accounts of ours: every role can do everything. */
  natsFlat: z.boolean().default(false),
  /** For /metrics and /healthz, on loopback; 0 takes a free one. */
  httpPort: z.int().min(0).max(65_535).default(0),
  /** Which of the places of its service a process fills, where that has places: `p1` and on. */
  place: z.string().optional(),
  /** How long what was begun may take after SIGTERM, seconds. */
  drainSeconds: z
    .number()
    .min(0)
    .max(24 * 3_600)
    .default(8),
};

/** Set by people and scripts, read elsewhere than in a configuration. */
const elsewhere = ['HOME', 'CONFIG', 'LOG_LEVEL', 'NATS_ARCHIVE_URL'];

/** Used wrongly: the sentence says what, and what would be right. */
export class ConfigError extends Error {}

interface Source {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A TOML file: common knobs at the top, those of a service in a table of its name. */
  readonly file?: string | undefined;
}

/** One frozen configuration out of defaults, then the file, then the environment (`UPLIFT_…`, `UPLIFT_<SERVICE>_…`). */
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

/** Text where a knob takes text; else what it means as JSON: numbers, true and false, lists. */
function meaningOf(knob: z.core.$ZodType | undefined, text: string): unknown {
  if (knob && z.safeParse(knob, text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknown(shown: string, name: string, known: string[]): string {
  const near = closestMatch(name, known, { maxDistance: Math.ceil(name.length / 3) });
  return `${shown} is not known here; ${near ? `did you mean "${near}"?` : `known are ${known.join(', ')}`}`;
}
