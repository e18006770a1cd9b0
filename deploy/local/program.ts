import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '#protocol/roles';
import { type Leashed, leashed } from './leash.ts';

/** A service as a process that is restarted when it dies, with a growing delay if it dies soon after its start. */
export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Number of restarts. */
  readonly restarts: number;
  stop(): Promise<void>;
}

/** What every process of a service is started with. */
export interface Launch {
  readonly service: Service;
  /** `pod-2`: also the name of its log. */
  readonly name: string;
  readonly logDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Options extends Launch {
  /** How long it may take to stop, seconds. */
  readonly graceSeconds: number;
  readonly onLine: (line: string) => void;
  /** Called when it has refused its configuration: restarting it would not help. */
  readonly onRefused: (log: string) => void;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** The built service, or its sources, run by tsx, if they are newer. */
const isSource = import.meta.url.endsWith('.ts');
const built = isSource ? ((await import('../../bin/build.js')).isBuilt() ? join(root, 'dist') : undefined) : root;
const mainOf = (service: Service): string[] =>
  built
    ? [join(built, 'services', service, 'main.js')]
    : ['--import', import.meta.resolve('tsx'), join(root, 'services', service, 'main.ts')];

const refusedCode = 2;
const youngMs = 10_000;

export const logFileOf = ({ logDir, name }: Pick<Launch, 'logDir' | 'name'>): string => join(logDir, `${name}.log`);

/** Starts a process of a service, and does not restart it. */
export function launch({ service, env, ...named }: Launch): Leashed {
  mkdirSync(named.logDir, { recursive: true });
  const log = openSync(logFileOf(named), 'a');
  const program = leashed(process.execPath, mainOf(service), { env: { ...env }, stdio: ['ignore', log, log] });
  closeSync(log);
  return program;
}

export function startProgram(options: Options): Program {
  const { name, onLine } = options;
  const logFile = logFileOf(options);
  const state = { restarts: 0, young: 0, stopping: false, timer: undefined as NodeJS.Timeout | undefined };

  const start = (): Leashed => {
    const started = performance.now();
    const program = launch(options);
    void program.ended.then(({ code, signal }) => {
      if (state.stopping) return;
      if (code === refusedCode) return options.onRefused(logFile);
      state.young = performance.now() - started < youngMs ? state.young + 1 : 0;
      const waitMs = Math.min(100 * 2 ** state.young, 5_000);
      onLine(`${name} ended (${signal ?? `exit code ${code}`}), restarting it; its log is ${logFile}`);
      state.timer = setTimeout(() => {
        state.restarts += 1;
        running = start();
      }, waitMs);
    });
    return program;
  };

  let running = start();
  return {
    name,
    get pid() {
      return running.pid;
    },
    get restarts() {
      return state.restarts;
    },
    async stop() {
      state.stopping = true;
      clearTimeout(state.timer);
      await running.stop(options.graceSeconds * 1000);
    },
  };
}
