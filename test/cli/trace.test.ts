// The tree of an episode, and the same as spans for a receiver that knows what OTLP says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { exportSpans } from '../../services/cli/trace/spans.ts';
import type { Said } from '../../services/cli/trace/story.ts';
import { hopsOf, rowsOf } from '../../services/cli/trace/tree.ts';

const said = (id: string, cause: string | null, more: Partial<Said>): Said => ({
  ...{ id, cause, at: 0, lane: 'msg', from: 'agent', to: 'evaluator', address: 'r.e', name: id },
  ...more,
});
const story: Said[] = [
  said('start', 'before', { at: 0, from: 'conductor', to: 'agent' }),
  said('submit', 'start', { at: 10, from: 'agent', to: 'pool' }),
  said('run', 'of another', { at: 500, from: 'pool', to: 'pod' }),
  said('p1', 'run', { at: 600, from: 'pod', to: 'pool', name: 'progress' }),
  said('p2', 'run', { at: 700, from: 'pod', to: 'pool', name: 'progress' }),
  said('trained', 'run', { at: 800, from: 'pod', to: 'evaluator' }),
  said('ended', 'trained', { at: 900, from: 'evaluator', to: 'agent' }),
  said('overdue', 'before', { at: 180_000, from: 'conductor', to: 'evaluator' }),
];

test('what follows from what; a job that waited for a pod follows from its submission', (t) => {
  const hops = hopsOf(story);
  const parents = Object.fromEntries(hops.map(({ id, parent }) => [id, parent]));
  t.deepEqual(parents, {
    ...{ start: null, submit: 'start', run: 'submit', p1: 'run', p2: 'run', trained: 'run', ended: 'trained' },
    overdue: null,
  });
  t.deepEqual(
    hops.filter(({ waited }) => waited).map(({ id, hopMs, sinceStartMs }) => [id, hopMs, sinceStartMs]),
    [['run', 490, 500]],
  );
});

test('the longest story goes straight on, what else follows branches off, equal ends are one row', (t) => {
  const rows = rowsOf(hopsOf(story)).map(({ branch, hop, times }) => `${branch}${hop.name}${times > 1 ? times : ''}`);
  t.deepEqual(rows, ['start', 'submit', 'run', '├ progress2', 'trained', 'ended', 'overdue']);
});

test('whatever was said, every message is in the tree once, below one that is older', (t) => {
  const services = fc.constantFrom('agent' as const, 'pool' as const, 'pod' as const, 'evaluator' as const);
  /** Caused by the so-manieth before it, or by something of another episode. */
  const any = fc.array(fc.record({ back: fc.nat(20), at: fc.nat(3), from: services, to: services }));
  fc.assert(
    fc.property(any, (raw) => {
      let now = 0;
      const made = raw.map(({ back, at, ...one }, n) => {
        now += at;
        return said(`m${n}`, back < n ? `m${n - 1 - back}` : 'elsewhere', { ...one, at: now });
      });
      const hops = hopsOf(made);
      const rows = rowsOf(hops);
      t.is(
        rows.reduce((sum, { times }) => sum + times, 0),
        made.length,
      );
      for (const { id, parent } of hops) if (parent !== null) t.true(Number(parent.slice(1)) < Number(id.slice(1)));
    }),
    { numRuns: 200 },
  );
});

const anyValue = z.strictObject({ key: z.string().min(1), value: z.strictObject({ stringValue: z.string() }) });
const span = z.strictObject({
  traceId: z.string().regex(/^(?!0+$)[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0+$)[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{1,20}$/),
  endTimeUnixNano: z.string().regex(/^\d{1,20}$/),
  attributes: z.array(anyValue),
});
/** What `opentelemetry/proto/collector/trace/v1` says of a request in JSON, of the fields that are used here. */
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(anyValue) }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(span) }),
      ),
    }),
  ),
});
type Answer = { status: number; body: string };

/** A receiver on loopback that takes nothing but that, under the path and with the header it has to have. */
async function receiver(t: ExecutionContext, answer: Answer) {
  const got: z.infer<typeof request>[] = [];
  const server = createServer(async (asked, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const isRight =
      asked.method === 'POST' &&
      asked.url === '/otlp/v1/traces' &&
      asked.headers['content-type'] === 'application/json' &&
      asked.headers['x-key'] === 'a b';
    if (isRight) got.push(request.parse(JSON.parse(Buffer.concat(chunks).toString())));
    reply.writeHead(isRight ? answer.status : 400, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp/`;
  return {
    got,
    url: `${url}v1/traces`,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' },
  };
}

test('spans go to the endpoint that is set: one trace, parents among them, each as long as what it led to', async (t) => {
  const { got, env } = await receiver(t, { status: 200, body: '{"partialSuccess":{}}' });
  const of = { run: 'r', episode: 'e', env };
  t.truthy(await exportSpans(hopsOf(story), of));
  await exportSpans(hopsOf(story), of);
  t.deepEqual(got[0], got[1], 'exported twice it is the same trace');
  const spans = got[0]?.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)) ?? [];
  t.is(spans.length, story.length);
  t.is(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  t.is(ids.size, story.length);
  for (const { parentSpanId } of spans) t.true(parentSpanId === undefined || ids.has(parentSpanId));
  const run = spans.find(({ name }) => name === 'run');
  t.deepEqual([run?.startTimeUnixNano, run?.endTimeUnixNano], ['500000000', '800000000']);
});

test('without an endpoint nothing is sent; a receiver that refuses all or some is quoted', async (t) => {
  const of = { run: 'r', episode: 'e' };
  t.is(await exportSpans(hopsOf(story), { ...of, env: {} }), undefined);
  const refuses = await receiver(t, { status: 503, body: 'full' });
  await t.throwsAsync(exportSpans(hopsOf(story), { ...of, env: refuses.env }), { message: /answered 503 full$/ });
  const body = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}';
  const some = await receiver(t, { status: 200, body });
  await t.throwsAsync(exportSpans(hopsOf(story), { ...of, env: some.env }), { message: /refused 2 spans: too old$/ });
});

test('an endpoint that is none, sends elsewhere or never stops talking is told in a sentence', async (t) => {
  const of = { run: 'r', episode: 'e' };
  const sent = (env: Record<string, string>) => exportSpans(hopsOf(story), { ...of, env });
  for (const env of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'no url' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///etc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_HEADERS: 'x=%' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_HEADERS: 'a b=c' },
  ])
    await t.throwsAsync(sent(env), { message: /^\S.*\/v1\/traces cannot be asked: ./ });
  const elsewhere = await receiver(t, { status: 200, body: '' });
  const sends = createServer((_, reply) => void reply.writeHead(307, { location: elsewhere.url }).end());
  const talks = createServer((_, reply) => {
    reply.writeHead(500);
    const more = (): void => void (reply.write('x'.repeat(65_536)) ? setImmediate(more) : reply.once('drain', more));
    more();
  });
  for (const [server, said] of [
    [sends, /answered 307/],
    [talks, /answered 500 x{200}$/],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' };
    await t.throwsAsync(sent(env), { message: said });
  }
  t.is(elsewhere.got.length, 0);
});
