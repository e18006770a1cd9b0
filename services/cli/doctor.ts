import { accessSync, constants, mkdirSync } from 'node:fs';
import { homeOf, readStackFile } from '../../deploy/local/home.ts';
import { findNatsServer } from '../../deploy/nats/install.ts';
import { green, red, say, sayJson } from './say.ts';

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly says: string;
}

const check = async (what: string, ask: () => string | Promise<string>): Promise<Finding> => {
  try {
    return { what, ok: true, says: await ask() };
  } catch (error) {
    return { what, ok: false, says: error instanceof Error ? error.message : String(error) };
  }
};

/** Prints what is here, what is missing, and how to get it. Returns whether everything that is needed is here. */
export async function doctor(json: boolean): Promise<boolean> {
  const home = homeOf(process.env);
  const findings = [
    await check('node', nodeVersion),
    await check('home', () => writable(home)),
    await check('nats-server', async () => {
      if (process.env.UPLIFT_NATS_URL)
        return `your own, set by UPLIFT_NATS_URL: ${new URL(process.env.UPLIFT_NATS_URL).host}`;
      const { version, path, how } = await findNatsServer({ home, env: process.env });
      return `${version} at ${path} (${how})`;
    }),
    await check('stack', () => runningStack(home)),
  ];
  if (json) sayJson(findings);
  else for (const { what, ok, says } of findings) say(`${ok ? green('✔') : red('✖')} ${what.padEnd(12)} ${says}`);
  return findings.every(({ ok }) => ok);
}

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) throw new Error(`${process.version}: 20.19 or newer is needed`);
  return process.version;
}

function writable(home: string): string {
  mkdirSync(home, { recursive: true });
  accessSync(home, constants.W_OK);
  return `${home} is writable`;
}

/** Not an error if there is no stack. */
function runningStack(home: string): string {
  try {
    const { pid, startedAt, url } = readStackFile(home);
    return `running since ${startedAt} (process ${pid}, ${url})`;
  } catch {
    return 'none is running here; "npm start" starts one';
  }
}
