import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type NatsBinary, readNatsServer, type Versions } from './binary.ts';

export type SearchOptions = { home: string; env: NodeJS.ProcessEnv; onStep?: (line: string) => void };

/** One search for a nats-server: it remembers why each place and each way did not do. */
export class Search {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: (line: string) => void;
  readonly reasons = new Set<string>();

  constructor({ home, env, onStep = () => {} }: SearchOptions) {
    this.home = resolve(home);
    this.env = env;
    this.onStep = onStep;
  }

  /** The program at `path`, if one is there and its version will do. */
  async look(path: string, how: NatsBinary['how'], versions: Versions): Promise<NatsBinary | undefined> {
    const there = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    return there ? this.attempt('found', () => readNatsServer(path, how, versions)) : undefined;
  }

  /** What `work` finds. A failure is a reason to look further, never the end of the search. */
  async attempt(label: string, work: () => Promise<NatsBinary | undefined>): Promise<NatsBinary | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = `${label}: ${error instanceof Error ? error.message : String(error)}`;
      if (!this.reasons.has(reason)) this.onStep(`${reason}; looking further`);
      this.reasons.add(reason);
      return undefined;
    }
  }
}
