/**
 * The cloud of a laptop: each pod that the pool orders over HTTP becomes a leashed process. A pod that dies stays dead
 * until it is deleted: the pool replaces it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { placesOf } from '#protocol/roles';
import type { Leashed } from './leash.ts';
import { type Launch, launch, logFileOf } from './program.ts';

export interface Pods {
  readonly url: string;
  /** Whoever has it can start and end pods. */
  readonly token: string;
  readonly running: () => readonly { readonly name: string; readonly pid: number }[];
  /** Creates no more pods, and ends the existing ones. */
  stop(): Promise<void>;
}

interface Options extends Omit<Launch, 'service' | 'name'> {
  readonly graceSeconds: number;
  readonly onLine: (line: string) => void;
}

const order = z.strictObject({ pod: z.enum(placesOf('pod')), generation: z.int().positive() });
type Order = z.infer<typeof order>;

interface Pod extends Order {
  readonly process: Leashed;
  phase: 'running' | 'ended' | 'deleted';
}

export async function servePods(options: Options): Promise<Pods> {
  const token = randomBytes(24).toString('base64url');
  const cloud = new Cloud(options);
  const server = createServer((request, response) => {
    const allowed = isToken(request.headers.authorization, token);
    const answered = allowed ? answer(cloud, request) : Promise.resolve({ status: 401, body: 'the token is wrong' });
    answered.then(
      (said) => reply(response, said),
      (error: unknown) => reply(response, { status: 500, body: String(error) }),
    );
  });
  const url = await listen(server);
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await cloud.stop();
  };
  return { url, token, running: () => cloud.running(), stop };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

function isToken(header: string | undefined, token: string): boolean {
  const [given, wanted] = [header ?? '', `Bearer ${token}`].map((text) => Buffer.from(text));
  return (
    given !== undefined && wanted !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted)
  );
}

interface Said {
  readonly status: number;
  readonly body: unknown;
}
const reply = (response: ServerResponse, { status, body }: Said): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** POST /pods, GET /pods, DELETE /pods/<place>-<generation>; all are idempotent. */
async function answer(cloud: Cloud, request: IncomingMessage): Promise<Said> {
  const [, , name = ''] = (request.url ?? '').split('/');
  if (request.method === 'GET' && request.url === '/pods') return { status: 200, body: { pods: cloud.list() } };
  if (request.method === 'DELETE' && name) {
    await cloud.delete(name);
    return { status: 200, body: 'gone' };
  }
  if (request.method !== 'POST' || request.url !== '/pods')
    return { status: 404, body: 'not found: there are /pods and /pods/NAME' };
  const wanted = order.safeParse(await jsonOf(request));
  if (!wanted.success) return { status: 400, body: z.prettifyError(wanted.error) };
  return cloud.create(wanted.data)
    ? { status: 200, body: 'created' }
    : { status: 409, body: `${nameOf(wanted.data)} was deleted: a name is used only once` };
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

const nameOf = ({ pod, generation }: Order): string => `${pod}-${generation}`;

/** It remembers what was deleted, so that a late order does not create it again. */
class Cloud {
  readonly #pods = new Map<string, Pod>();
  readonly #options: Options;
  #stopping = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** False: it was deleted before. */
  create(wanted: Order): boolean {
    const there = this.#pods.get(nameOf(wanted));
    if (there) return there.phase !== 'deleted';
    if (this.#stopping) throw new Error('this machine is stopping');
    const { pod, generation } = wanted;
    const { env, logDir, onLine } = this.#options;
    const named = { name: `pod-${pod}`, logDir };
    const process = launch({
      ...named,
      service: 'pod',
      env: { ...env, UPLIFT_PLACE: pod, UPLIFT_POD_GENERATION: String(generation) },
    });
    const made: Pod = { ...wanted, process, phase: 'running' };
    this.#pods.set(nameOf(wanted), made);
    void process.ended.then(({ code, signal }) => {
      if (made.phase !== 'running') return;
      made.phase = 'ended';
      if (!this.#stopping)
        onLine(`${named.name} ended (${signal ?? `exit code ${code}`}); its log is ${logFileOf(named)}`);
    });
    return true;
  }

  async delete(name: string): Promise<void> {
    const pod = this.#pods.get(name);
    if (!pod) return;
    pod.phase = 'deleted';
    await pod.process.stop(this.#options.graceSeconds * 1000);
  }

  list(): (Order & { running: boolean })[] {
    return [...this.#pods.values()]
      .filter(({ phase }) => phase !== 'deleted')
      .map(({ pod, generation, phase }) => ({ pod, generation, running: phase === 'running' }));
  }

  running(): { name: string; pid: number }[] {
    return [...this.#pods.values()]
      .filter(({ phase }) => phase === 'running')
      .map(({ pod, process }) => ({ name: `pod-${pod}`, pid: process.pid }));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#pods.keys()].map((name) => this.delete(name)));
  }
}
