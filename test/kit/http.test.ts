import test from 'ava';
import { serveHttp } from '#kit/http';
import { turns } from '#kit/metrics';

test('/metrics is what Prometheus reads, /healthz says how it is, anything else says what there is', async (t) => {
  let ok = true;
  const http = await serveHttp(0, () => ({ ok, service: 'agent' }));
  t.teardown(() => http.close());
  const get = (path: string) => fetch(`http://127.0.0.1:${http.port}${path}`);

  turns.inc({ actor: 'agent', outcome: 'handled' }, 3);
  const metrics = await get('/metrics');
  t.regex(metrics.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  t.regex(await metrics.text(), /^uplift_turns_total\{actor="agent",outcome="handled"\} 3$/m);

  t.deepEqual(await (await get('/healthz')).json(), { ok: true, service: 'agent' });
  ok = false;
  t.is((await get('/healthz')).status, 503);
  t.is((await get('/elsewhere')).status, 404);
});

test('a port that is taken is an error, not a silence', async (t) => {
  const first = await serveHttp(0, () => ({ ok: true }));
  t.teardown(() => first.close());
  await t.throwsAsync(
    serveHttp(first.port, () => ({ ok: true })),
    { message: /EADDRINUSE/ },
  );
});
