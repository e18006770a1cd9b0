import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { connect, type NatsConnection } from 'nats';
import type { NatsBinary } from '../../deploy/nats/install.ts';
import { type NatsServer, startNatsServer } from '../../deploy/nats/start.ts';
import { oldestAndCurrent, plainConfig, startServer } from '../support/servers.ts';

const { oldest, current } = await oldestAndCurrent();

async function folder(t: ExecutionContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'uplift-start-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function started(t: ExecutionContext, binary: NatsBinary): Promise<NatsServer> {
  const server = await startServer(binary);
  t.teardown(() => server.stop());
  return server;
}

async function withClient(server: NatsServer, use: (nc: NatsConnection) => Promise<void>): Promise<void> {
  const nc = await connect({ servers: server.url });
  await use(nc).finally(() => nc.close());
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

for (const binary of [oldest, current]) {
  test(`nats-server ${binary.version} keeps its port and its store over a kill -9, a stop and a restart`, async (t) => {
    const server = await started(t, binary);
    await withClient(server, async (nc) => {
      t.is(nc.info?.version, binary.version);
      await (await nc.jetstreamManager()).streams.add({ name: 'kept', subjects: ['kept'] });
      await nc.jetstream().publish('kept', 'one');
    });

    const first = server.pid;
    await server.kill9();
    t.deepEqual(await server.ended, { code: null, signal: 'SIGKILL' });
    t.false(isThere(first));
    await server.restart();
    t.not(server.pid, first);

    await server.restart(); // a running one is stopped for it
    await withClient(server, async (nc) => {
      const { state } = await (await nc.jetstreamManager()).streams.info('kept');
      t.is(state.messages, 1);
    });
  });
}

test('a stopped server leaves no process and no folder', async (t) => {
  const server = await started(t, current);
  t.true(await fetch(`${server.monitorUrl}/healthz`).then((response) => response.ok));
  await server.stop();
  t.false(isThere(server.pid));
  await t.throwsAsync(access(server.dir), { code: 'ENOENT' });
});

test('the log of a server is in its folder', async (t) => {
  const server = await started(t, current);
  t.regex(await readFile(server.logFile, 'utf8'), /Server is ready/);
});

test('a server that will not start says why, in its own words', async (t) => {
  for (const binary of [oldest, current]) {
    const config = () => 'no_such_setting: 1\n';
    const failure = await t.throwsAsync(startNatsServer({ binary, dir: await folder(t), config }));
    t.regex(
      failure?.message ?? '',
      /nats-server [\d.]+ ended at its start \(exit code 1\)\. The end of .*nats-server\.log/,
    );
    t.regex(failure?.message ?? '', /unknown field "no_such_setting"/);
  }
});

test('a program that is not there is named', async (t) => {
  const binary: NatsBinary = { path: '/nowhere/nats-server', version: '2.9.10', how: 'path' };
  await t.throwsAsync(startNatsServer({ binary, dir: await folder(t), config: plainConfig }), {
    message: /exit code 127[\s\S]*\/nowhere\/nats-server/,
  });
});

test('a wanted port that is taken is named', async (t) => {
  const server = await started(t, oldest);
  const again = startNatsServer({ binary: oldest, dir: await folder(t), config: plainConfig, port: server.port });
  await t.throwsAsync(again, {
    message: `Port ${server.port} on 127.0.0.1 is already in use: stop what listens there, or choose another port`,
  });
});

test('a port taken between being found and being used is left to its taker', async (t) => {
  for (const which of ['port', 'httpPort'] as const) {
    const taker = createServer();
    t.teardown(() => taker.close());
    const lines: string[] = [];
    const server = await startNatsServer({
      binary: oldest,
      dir: await folder(t),
      config: (at) => {
        if (!taker.listening) taker.listen(at[which], '127.0.0.1');
        return plainConfig(at);
      },
      onLog: (line) => lines.push(line),
    });
    t.teardown(() => server.stop());
    t.regex(lines.join('\n'), /^port \d+ or \d+ was taken meanwhile, trying others\nnats-server 2\.9\.10 is ready on /);
    await withClient(server, async (nc) => {
      t.is(nc.info?.port, server.port);
    });
  }
});
