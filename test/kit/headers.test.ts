import test from 'ava';
import fc from 'fast-check';
import { headers as newHeaders } from 'nats';
import { fromDirectGet, toHeaders } from '#kit/nats';
import type { Outgoing, Stored } from '#kit/wire';

type Answer = Parameters<typeof fromDirectGet>[0];

/** As the server gives a stored message: our headers, and where it lies. */
function stored(headers: Answer['headers'], { subject, data }: Pick<Outgoing, 'subject' | 'data'>): Stored | undefined {
  headers?.set('Nats-Subject', subject);
  headers?.set('Nats-Sequence', '7');
  headers?.set('Nats-Time-Stamp', '2026-01-01T00:00:00Z');
  return fromDirectGet({ headers, data } as unknown as Answer);
}

const id = fc.stringMatching(/^[\w-]{1,64}$/);
const outgoing: fc.Arbitrary<Outgoing> = fc.record({
  subject: fc.constantFrom('msg.agent.r.k.operator.told', 'later.agent.msg.agent.r.k.agent.told'),
  id,
  cause: fc.option(id.filter((one) => one !== '-')),
  schema: fc.nat(),
  due: fc.option(fc.nat()),
  failure: fc.constant(null),
  data: fc.uint8Array(),
});

test('what is sent is what is read', (t) => {
  fc.assert(
    fc.property(outgoing, (out) => {
      t.deepEqual(stored(toHeaders(out), out), { ...out, seq: 7, at: Date.UTC(2026) });
    }),
  );
});

test('the reason that a message was parked travels with it, and with parked messages only', (t) => {
  const failure = { code: 'bus/unfit-body', detail: 'told: n: "ü" is no number\nat all' } as const;
  const out = { id: 'i1', cause: 'c1', schema: 1, due: null, failure, data: new Uint8Array() };
  const [parked, told] = ['parked.agent.msg.r.k.operator.told', 'msg.agent.r.k.operator.told'].map((subject) =>
    stored(toHeaders({ ...out, subject }), { ...out, subject }),
  );
  t.deepEqual(parked?.failure, failure);
  t.is(told?.failure, null);
});

test('whatever headers anyone writes are read, and an id that could be read as more than one is none', (t) => {
  const text = fc.oneof(fc.string(), fc.constantFrom('i1 0', 'a.b', '*', '>', '', '-', 'NaN', '1 c 1e999', '-1 - -1'));
  const place = { subject: 'msg.agent.r.k.operator.told', data: new Uint8Array() };
  fc.assert(
    fc.property(text, text, text, (ours, theirs, reason) => {
      const headers = newHeaders();
      const written = { Uplift: ours, 'Nats-Msg-Id': theirs, 'Uplift-Failure': reason };
      for (const [name, value] of Object.entries(written)) headers.append(name, value);
      const read = stored(headers, place);
      t.regex(read?.id ?? '', /^[\w-]{1,64}$/);
      t.false(Number.isNaN(read?.schema));
      t.false(Number.isNaN(read?.due));
    }),
    { numRuns: 1_000 },
  );
  t.is(stored(newHeaders(), place)?.id, 'seq-7');
});
