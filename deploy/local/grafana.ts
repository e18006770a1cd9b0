import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort, type Prometheus } from '../prometheus/start.ts';
import { leashed } from './leash.ts';
import { root } from './root.ts';
import { withoutKeys } from './secrets.ts';

export interface Grafana {
  readonly url: string;
  stop(): Promise<void>;
}

interface Options {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  readonly prometheus: Prometheus;
}

/** Where its packages install the files that it needs besides the program. */
const homePaths = ['/usr/share/grafana', '/opt/homebrew/share/grafana', '/usr/local/share/grafana'];

/** Starts the installed Grafana on loopback, with our dashboards and data in `dir`; undefined: none is installed. */
export async function startGrafana({ dir, env, port, prometheus }: Options): Promise<Grafana | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const program = folders.map((folder) => join(folder, 'grafana')).find((path) => existsSync(path));
  const homePath = homePaths.find((path) => existsSync(path));
  if (!program || !homePath) return undefined;
  const listens = await freePort(port);
  const data = join(dir, 'grafana');
  mkdirSync(data, { recursive: true });
  const log = openSync(join(dir, 'grafana.log'), 'a');
  const running = leashed(program, ['server', '--homepath', homePath], {
    cwd: homePath,
    env: { ...withoutKeys(env), ...settings({ data, port: listens, prometheus }) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return { url: `http://127.0.0.1:${listens}`, stop: () => running.stop() };
}

/** No login, because it listens only on loopback. */
const settings = ({ data, port, prometheus }: { data: string; port: number; prometheus: Prometheus }) => ({
  GF_SERVER_HTTP_ADDR: '127.0.0.1',
  GF_SERVER_HTTP_PORT: String(port),
  GF_PATHS_DATA: data,
  GF_PATHS_LOGS: data,
  GF_PATHS_PROVISIONING: join(root, 'grafana', 'provisioning'),
  GF_AUTH_ANONYMOUS_ENABLED: 'true',
  GF_AUTH_ANONYMOUS_ORG_ROLE: 'Editor',
  GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: join(root, 'grafana', 'dashboards', 'learning.json'),
  UPLIFT_PROMETHEUS_URL: prometheus.url,
  UPLIFT_DASHBOARDS: join(root, 'grafana', 'dashboards'),
});
