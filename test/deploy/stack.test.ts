import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Bus } from '#kit/bus';
import { whoIsThere } from '#kit/roster';
import { exactly } from '#protocol/pod';
import { startStack } from '../../deploy/local/stack.ts';
import { probeRoute } from '../../services/cli/probe.ts';
import { binary, until } from '../support/house.ts';
import { root } from '../support/root.ts';
import { startServer } from '../support/servers.ts';
import { environmentWith, freshHome } from '../support/stack.ts';

const cli = join(root, 'bin/uplift.js');
const serviceCount = 6;

test.serial(
  'a stack whose launcher is killed -9 leaves no process, and its home can be used again at once',
  async (t) => {
    t.timeout(300_000);
    const home = freshHome(t);
    const env = await environmentWith(home, 'current');
    const launcher = spawn(process.execPath, [cli, 'up'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    launcher.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await until('the stack is up', () => output.includes('Up.'), 150);
    const left = processesWith(home);
    t.true(left.length >= serviceCount + 1, output);
    t.false(existsSync(join(home, 'nats', 'nats-server.conf')), 'the file with every password is gone');

    const top = spawnSync(process.execPath, [cli, 'top', '--once'], { env, encoding: 'utf8' });
    t.regex(top.stdout, /no run yet.*\n[\s\S]*pods {6}\d wanted/u, top.stderr);

    const stopped = spawnSync(process.execPath, [cli, 'runs', 'stop', 'nothing'], { env, encoding: 'utf8' });
    t.is(stopped.status, 2);
    t.regex(stopped.stderr, /there is no run "nothing"; "npx uplift runs ls"/);

    const second = spawn(process.execPath, [cli, 'up'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let refusal = '';
    second.stderr.on('data', (chunk) => {
      refusal += chunk;
    });
    t.is(await new Promise((resolve) => second.once('exit', resolve)), 2);
    t.regex(refusal, /already running in .*set UPLIFT_HOME to another folder/);

    launcher.kill('SIGKILL');
    await until('nothing is left', () => processesWith(home).length === 0, 10);

    const again = await startStack({ home, env, replicas: {}, pods: exactly(1), onLine: (line) => t.log(line) });
    await again.stop();
    t.deepEqual(processesWith(home), []);
  },
);

test.serial('on a server that somebody else runs, the stack works without accounts', async (t) => {
  t.timeout(300_000);
  const server = await startServer(await binary('oldest'));
  t.teardown(() => server.stop());
  const env = { ...process.env, UPLIFT_NATS_URL: server.url };
  const stack = await startStack({
    home: freshHome(t),
    env,
    replicas: { agent: 2, pool: 2 },
    pods: exactly(1),
    onLine: (line) => t.log(line),
  });
  const operator = await Bus.connect(stack.access('operator'));
  t.teardown(async () => {
    await operator.close();
    await stack.stop();
  });
  t.is((await probeRoute(operator, 60)).result.phase, 'home');
  await until(
    'both agents and both pools are there',
    async () => (await whoIsThere(operator, true)).length === serviceCount + 2,
  );
});

/** Processes that were started for this home: its path stands in their command line or their environment. */
function processesWith(home: string): string[] {
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid && mentions(name, home),
  );
}

function mentions(pid: string, home: string): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
    return text.includes(home);
  } catch {
    return false; // it has ended meanwhile
  }
}
