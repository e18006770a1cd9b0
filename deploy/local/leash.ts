// A program on a leash: it ends with the process that started it, however that one ends (kill -9 too), and
// whatever it started itself ends with it.
//
// A shell starts a guard, then becomes the program (exec), so the child's id, exit code and signals are the
// program's own. Program and guard are a process group of their own: a Ctrl-C at the terminal reaches only the
// parent, which stops things in its order. The guard waits on a pipe whose other end only the parent has:
//   a line arrives      the program has ended: the guard kills what is left of the group, itself included
//   the pipe closes     the parent is dead: SIGTERM to the group, SIGKILL a second later
// While the guard lives the group's number cannot be given to strangers, so it never kills the wrong ones. A
// program that leaves the group (setsid) is off the leash.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

// Plain POSIX sh: tried with dash, bash, busybox, ksh, mksh, yash and zsh. The guard keeps none of the
// program's files open, or a reader of the program's output would never see it end.
const shell = `
( trap '' HUP INT QUIT TERM
  read -r line <&3 || { kill -s TERM -- -$$; sleep 1; }
  kill -s KILL -- -$$
) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-`;

type Stream = 'ignore' | 'inherit' | 'pipe' | number;

export type LeashOptions = {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The program's input, output and errors, a number being an open file; without it, input is empty. */
  stdio?: readonly [Stream, Stream, Stream];
};

export type Ending = { code: number | null; signal: NodeJS.Signals | null };

export type Leashed = {
  child: ChildProcess;
  /** The program itself, not a shell around it. */
  pid: number;
  /** How the program ended; settles when it, its guard and whatever it left behind are gone. Never rejects. */
  ended: Promise<Ending>;
  /** SIGTERM, and SIGKILL for the whole group after `graceMs`. Returns when all is gone, throws if it will not go. */
  stop(graceMs?: number): Promise<void>;
};

export function leashed(command: string, args: readonly string[], options: LeashOptions = {}): Leashed {
  const { cwd = process.cwd(), env = process.env, stdio = ['ignore', 'inherit', 'inherit'] } = options;
  const child = spawn('/bin/sh', ['-c', shell, 'leash', command, ...args], {
    cwd,
    env,
    stdio: [...stdio, 'pipe'],
    detached: true,
  });
  child.on('error', () => {}); // a failed start shows in the missing pid, here
  const { pid } = child;
  if (pid === undefined) throw new Error(`"${command}" did not start in "${cwd}": is that folder there?`);
  hold(child, pid);
  const ended = new Promise<Ending>((resolve) => {
    // 'close' comes after the program's exit and after the last holder of each pipe, the guard's too, is gone.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, pid, ended, stop: (graceMs = 5_000) => stop({ command, child, pid, ended }, graceMs) };
}

/** The parent's end of the guard's pipe. */
function hold(child: ChildProcess, pid: number): void {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) throw new Error('the fourth stream of a child is a pipe');
  pipe.on('error', () => {}); // the guard was faster: there is nobody left to tell
  pipe.resume(); // nothing is ever sent, but only a reader sees the pipe close
  child.once('exit', () => pipe.end('ended\n'));
  // A program without its guard could outlive us, so it is not left running.
  pipe.once('close', () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(pid);
  });
}

type Stoppable = { command: string } & Pick<Leashed, 'child' | 'pid' | 'ended'>;

async function stop({ command, child, pid, ended }: Stoppable, graceMs: number): Promise<void> {
  child.kill('SIGTERM');
  if (await settlesWithin(ended, graceMs)) return;
  killGroup(pid);
  if (await settlesWithin(ended, 5_000)) return;
  throw new Error(`"${command}" (process ${pid}), or something it started, is still there 5 s after SIGKILL`);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty already, which is what was wanted; 'close' is the proof, not this call.
  }
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
