import { execFile } from 'node:child_process';

export type CommandOptions = { env: NodeJS.ProcessEnv; cwd?: string; timeoutMs?: number };

/** Runs a tool to its end and gives its output. A failure says which tool, how it ended and its last words. */
export function execute(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { env, cwd, timeoutMs = 180_000 } = options;
  return new Promise((resolve, reject) => {
    // LC_ALL=C: the tools' last words end up in our sentences, so they are asked for in one language.
    execFile(command, args, { cwd, env: { ...env, LC_ALL: 'C' }, timeout: timeoutMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(failure(error, { command, args, timeoutMs, stderr }), { cause: error }));
    });
  });
}

type Ended = { code?: unknown; killed?: boolean; message: string };
type Call = { command: string; args: readonly string[]; timeoutMs: number; stderr: string };

function failure(error: Ended, { command, args, timeoutMs, stderr }: Call): string {
  if (error.code === 'ENOENT')
    return `"${command}" ${command.includes('/') ? 'does not run' : 'is not installed'} here`;
  const call = `"${command} ${args[0] ?? ''}"`;
  if (error.killed) return `${call} took longer than ${timeoutMs / 1000} s`;
  const lastWords = stderr.trim().split('\n').at(-1) || error.message;
  return `${call} failed (${String(error.code)}): ${lastWords.slice(0, 300)}`;
}
