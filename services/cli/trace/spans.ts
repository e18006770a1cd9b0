import { createHash } from 'node:crypto';
import { version } from '#protocol/version';
import type { Hop } from './tree.ts';

/**
 * Sends an episode as OpenTelemetry spans, in the JSON of OTLP/HTTP 1: a stable format, in one request. A span is what
 * a receiver did with a message: from when the message was stored until the last message that it caused was stored.
 * Undefined: no endpoint.
 */
export async function exportSpans(
  hops: readonly Hop[],
  { run, episode, env }: { run: string; episode: string; env: Readonly<Record<string, string | undefined>> },
): Promise<{ url: string } | undefined> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const body = JSON.stringify(tracesOf(hops, { run, episode }));
  const response = await post(url, body, env.OTEL_EXPORTER_OTLP_HEADERS ?? '');
  const answer = await beginningOf(response);
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${answer.slice(0, 200)}`);
  const { partialSuccess } = parsed(answer);
  if (Number(partialSuccess?.rejectedSpans ?? 0) > 0)
    throw new Error(`${url} refused ${partialSuccess.rejectedSpans} spans: ${partialSuccess.errorMessage}`);
  return { url };
}

const timeoutMs = 10_000;

/** Nowhere else than where it is told to: the headers may hold a key. */
async function post(url: string, body: string, given: string): Promise<Response> {
  try {
    const headers = { 'content-type': 'application/json', ...headersOf(given) };
    const signal = AbortSignal.timeout(timeoutMs);
    return await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${url} cannot be asked: ${message}${cause instanceof Error ? `, ${cause.message}` : ''}`);
  }
}

/** What a receiver has to say is short; it may go on for ever. */
async function beginningOf({ body }: Response): Promise<string> {
  const most = 16_384;
  let answer = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    answer += decoder.decode(part, { stream: true });
    if (answer.length > most) break;
  }
  return answer.slice(0, most);
}

/** Receivers may answer with an empty body. */
function parsed(answer: string) {
  try {
    return Object(JSON.parse(answer));
  } catch {
    return {};
  }
}

/** `name=value,name=value`, each percent-encoded, as the specification has it. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => [
        pair.slice(0, pair.indexOf('=')).trim(),
        decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim()),
      ]),
  );

/** Ids are derived from names: an episode that is exported twice is the same trace. */
const hex = (text: string, bytes: number): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes);
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const nanos = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;

const consumer = 5;

function tracesOf(hops: readonly Hop[], { run, episode }: { run: string; episode: string }) {
  const traceId = hex(`${run}/${episode}`, 16);
  const spanOf = (hop: Hop) => ({
    traceId,
    spanId: hex(hop.id, 8),
    ...(hop.parent === null ? {} : { parentSpanId: hex(hop.parent, 8) }),
    name: hop.name,
    kind: consumer,
    startTimeUnixNano: nanos(hop.at),
    endTimeUnixNano: nanos(Math.max(hop.at, ...hops.filter(({ parent }) => parent === hop.id).map(({ at }) => at))),
    attributes: [
      attribute('messaging.system', 'nats'),
      attribute('messaging.message.id', hop.id),
      attribute('uplift.run', run),
      attribute('uplift.episode', episode),
      attribute('uplift.from', hop.from),
      attribute('uplift.address', hop.address),
    ],
  });
  return {
    resourceSpans: [...new Set(hops.map(({ to }) => to))].map((service) => ({
      resource: { attributes: [attribute('service.name', `uplift-${service}`), attribute('service.version', version)] },
      scopeSpans: [{ scope: { name: 'uplift', version }, spans: hops.filter(({ to }) => to === service).map(spanOf) }],
    })),
  };
}
