import type { ExecutionContext } from 'ava';
import { connect, headers, type Msg, type NatsConnection } from 'nats';
import { people, type Role } from '#protocol/roles';
import { grantsOf, localSubject } from '../../deploy/nats/roles.ts';
import type { strictHouse } from './house.ts';

export type StrictHouse = Awaited<ReturnType<typeof strictHouse>>;
export type Teardown = Pick<ExecutionContext, 'teardown'>;

/** One thing an intruder publishes. Without `reply` the answer comes to an inbox of its own. */
export interface Shot {
  readonly subject: string;
  readonly body?: string | Uint8Array;
  readonly reply?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Someone with the password of a role and a client of their own. */
export interface Intruder {
  readonly role: Role;
  readonly nc: NatsConnection;
  /** What came to its own inbox since the last volley, each message as one string of its bytes. */
  volley(shots: readonly Shot[]): Promise<string[]>;
  /** Subscribes, also as a queue; what comes is put into the list. */
  eavesdrop(patterns: readonly string[]): string[];
}

export async function intrude(t: Teardown, house: StrictHouse, role: Role): Promise<Intruder> {
  const nc = await connect({
    servers: house.server.url,
    user: role,
    pass: house.passwords[role],
    inboxPrefix: inboxOf(role),
  });
  t.teardown(() => nc.close());
  const heard: string[] = [];
  nc.subscribe(`${inboxOf(role)}.>`, { callback: (_, message) => heard.push(asText(message)) });
  return {
    role,
    nc,
    volley: async (shots) => {
      heard.length = 0;
      for (const [index, shot] of shots.entries()) fire(nc, shot, `${inboxOf(role)}.shot.${index}`);
      await quiet(nc, heard);
      return [...heard];
    },
    eavesdrop: (patterns) => eavesdrop(nc, patterns),
  };
}

export const inboxOf = (role: Role): string => `_INBOX_${role}`;

function fire(nc: NatsConnection, { subject, body = '', reply, headers: fields }: Shot, inbox: string): void {
  const all = headers();
  for (const [name, text] of Object.entries(fields ?? {})) all.set(name, text);
  nc.publish(subject, body, { reply: reply ?? inbox, ...(fields ? { headers: all } : {}) });
}

function eavesdrop(nc: NatsConnection, patterns: readonly string[]): string[] {
  const overheard: string[] = [];
  const callback = (error: Error | null, message: Msg): void => {
    if (!error) overheard.push(asText(message));
  };
  for (const pattern of patterns) {
    nc.subscribe(pattern, { callback });
    nc.subscribe(pattern, { callback, queue: 'q' });
  }
  return overheard;
}

/** Bytes as latin1: nothing is lost, so a secret is found wherever it lies in an answer. */
export function asText({ subject, reply, headers: fields, data }: Msg): string {
  const lines = [...(fields ?? [])].map(([name, texts]) => `${name}: ${texts.join(', ')}`);
  return [subject, reply ?? '', fields?.status ?? '', ...lines, Buffer.from(data).toString('latin1')].join('\n');
}

/** A refusal is silence. What is answered is answered within milliseconds: until three times nothing more has come. */
async function quiet(nc: NatsConnection, heard: readonly string[]): Promise<void> {
  await nc.flush();
  for (let times = 0, before = heard.length; times < 3; times = before === heard.length ? times + 1 : 0) {
    before = heard.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await nc.flush();
  }
}

/** What the table lets a role publish, and what the configuration adds to it. */
export const inRow = (role: Role, subject: string): boolean =>
  patternsFor(role).some((pattern) => matches(pattern, subject));

const patternsFor = (role: Role): string[] => [
  ...grantsOf(role).map(localSubject),
  ...(people.some((person) => person === role) ? ['srv.*.PING', 'srv.*.INFO', 'srv.*.STATS'] : ['_R_.>']),
];

function matches(pattern: string, subject: string): boolean {
  const [wanted, had] = [pattern.split('.'), subject.split('.')];
  if (wanted.at(-1) === '>' ? had.length < wanted.length : had.length !== wanted.length) return false;
  return wanted.every((token, index) => token === '>' || token === '*' || token === had[index]);
}
