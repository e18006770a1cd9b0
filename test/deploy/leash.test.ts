import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type Leashed, type LeashOptions, leashed } from '../../deploy/local/leash.ts';
import { moduleFile, root } from '../support/root.ts';

const module = pathToFileURL(moduleFile('../../deploy/local/leash', import.meta.url)).href;
const quiet: LeashOptions = { stdio: ['ignore', 'ignore', 'ignore'] };
const piped: LeashOptions = { stdio: ['ignore', 'pipe', 'ignore'] };

/** The living processes of a group: the program, its guard, their children. A zombie is dead. */
async function groupOf(group: number): Promise<number[]> {
  const rows = process.platform === 'linux' ? await rowsOfProc() : await rowsOfPs();
  return rows.flatMap(([pid, pgid, state]) => (Number(pgid) === group && !state?.startsWith('Z') ? [Number(pid)] : []));
}

async function rowsOfPs(): Promise<string[][]> {
  const listing = await text(spawn('ps', ['-A', '-o', 'pid=,pgid=,stat=']).stdout);
  return listing.split('\n').map((line) => line.trim().split(/\s+/));
}

async function rowsOfProc(): Promise<string[][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [state = 'Z', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [pid, group, state];
  });
  return Promise.all(rows);
}

async function groupIsGone(t: ExecutionContext, group: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  // A listing is not of one instant: a process may be born behind it and its parent die before it. So look twice.
  const left = async () => [...(await groupOf(group)), ...(await groupOf(group))];
  while ((await left()).length > 0 && Date.now() < deadline) await sleep(20);
  t.deepEqual(await left(), [], `process group ${group} is still there after 20 s`);
}

/** A node process that has leashed a program; `also` is done before that. */
async function parentOf(t: ExecutionContext, also = '') {
  const script = `
    import { leashed } from '${module}';
    setInterval(() => {}, 60_000);
    ${also}
    console.log(leashed('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore'] }).pid);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  t.teardown(() => parent.kill('SIGKILL'));
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  const says = async (): Promise<string> => (await lines.next()).value;
  const pid = Number(await says());
  return { pid, says, parent: parent.pid ?? Number.NaN };
}

function sh(script: string, options = quiet): Leashed {
  return leashed('sh', ['-c', script], options);
}

async function isUp({ child }: Leashed): Promise<void> {
  if (child.stdout !== null) await once(child.stdout, 'data');
}

async function outputOf({ child }: Leashed): Promise<string> {
  return child.stdout === null ? '' : text(child.stdout);
}

test('a program is gone when its parent is killed with -9', async (t) => {
  const { parent, pid } = await parentOf(t);
  t.true((await groupOf(pid)).includes(pid));
  process.kill(parent, 'SIGKILL');
  await groupIsGone(t, pid); // its guard is too
});

test("a program is gone though the parent's whole process group is killed with -9", async (t) => {
  const { parent, pid } = await parentOf(t);
  process.kill(-parent, 'SIGKILL');
  await groupIsGone(t, pid);
});

test('a program is gone when its parent throws', async (t) => {
  const { pid } = await parentOf(t, "setImmediate(() => { throw new Error('by design'); })");
  await groupIsGone(t, pid);
});

test('a Ctrl-C at the terminal reaches the parent alone', async (t) => {
  const { parent, pid, says } = await parentOf(t, "process.on('SIGINT', () => console.log('interrupted'))");
  process.kill(-parent, 'SIGINT');
  t.is(await says(), 'interrupted');
  t.true((await groupOf(pid)).includes(pid));
  process.kill(parent, 'SIGKILL');
  await groupIsGone(t, pid);
});

test('the exit code of a program is passed on, and nothing is left', async (t) => {
  for (const code of [0, 7]) {
    const { ended, pid } = sh(`exit ${code}`);
    t.deepEqual(await ended, { code, signal: null });
    await groupIsGone(t, pid);
  }
});

test('a program killed with -9 by somebody is reported so, and nothing is left', async (t) => {
  const { ended, pid } = sh('sleep 600; true');
  process.kill(pid, 'SIGKILL');
  t.deepEqual(await ended, { code: null, signal: 'SIGKILL' });
  await groupIsGone(t, pid);
});

test('what a program started and left behind is gone when it ends', async (t) => {
  const { ended, pid } = sh('sleep 600 & sleep 600 & exit 3');
  t.deepEqual(await ended, { code: 3, signal: null });
  await groupIsGone(t, pid);
});

test('a program without its guard is not left running', async (t) => {
  const program = sh('echo up; exec sleep 600', piped);
  await isUp(program);
  const [guard = 0, ...more] = (await groupOf(program.pid)).filter((pid) => pid !== program.pid);
  t.deepEqual(more, []);
  process.kill(guard, 'SIGKILL');
  t.deepEqual(await program.ended, { code: null, signal: 'SIGKILL' });
  await groupIsGone(t, program.pid);
});

test('stop lets a program end in its own way', async (t) => {
  const program = sh("trap 'exit 5' TERM; echo up; while :; do sleep 0.01; done", piped);
  await isUp(program);
  await program.stop(10_000);
  t.deepEqual(await program.ended, { code: 5, signal: null });
  await groupIsGone(t, program.pid);
  await t.notThrowsAsync(program.stop(), 'once more does no harm');
});

test('stop ends a program that does not listen, and its children, after the grace', async (t) => {
  const program = sh("trap '' TERM; sleep 600 & echo up; while :; do sleep 0.01; done", piped);
  await isUp(program);
  process.kill(program.pid, 'SIGSTOP'); // nor does a frozen one
  await program.stop(50);
  t.deepEqual(await program.ended, { code: null, signal: 'SIGKILL' });
  await groupIsGone(t, program.pid);
});

test("a reader of a program's output sees it end with the program, whose arguments and id are its own", async (t) => {
  const program = leashed('sh', ['-c', 'echo "$1"; echo "$$"', 'sh', `it's "$HOME" *`], piped);
  t.is(await outputOf(program), `it's "$HOME" *\n${program.pid}\n`);
});

test('a program has no file of its leash', async (t) => {
  t.is(await outputOf(sh('(: <&3) 2>/dev/null && echo open || echo closed', piped)), 'closed\n');
});

test('a program that is not there ends with 127, a folder that is not there is named', async (t) => {
  t.deepEqual(await leashed('/nowhere/program', [], quiet).ended, { code: 127, signal: null });
  t.throws(() => leashed('true', [], { cwd: '/nowhere' }), { message: /"true" did not start in "\/nowhere"/ });
});
