import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { now, sleep } from '#kit/clock';
import { homeOf, readStackFile } from '../../deploy/local/home.ts';
import { withStack } from './open.ts';
import { examples } from './options.ts';
import { isColoured, say, sayJson } from './say.ts';
import { untilTold } from './told.ts';
import { type Facts, Watch } from './top/facts.ts';
import { frame } from './top/frame.ts';
import { Page } from './top/screen.ts';

interface Options {
  readonly once: boolean;
  readonly json: boolean;
}

export function addTop(program: Command): void {
  program
    .command('top')
    .description('what is going on, at a glance: the run, its reward, pods, queues, money, and what went wrong')
    .option('--once', 'one frame as plain text, as in a pipe', false)
    .option('--json', 'for programs: the figures of one frame', false)
    .addHelpText(
      'after',
      examples(['uplift top', 'a page that is redrawn until Ctrl-C'], ['uplift top --once', 'one frame, as in a pipe']),
    )
    .action((options: Options) => withStack('viewer', (bus) => top(bus, options)));
}

const everyMs = 1_000;

async function top(bus: Bus, { once, json }: Options): Promise<void> {
  const watch = new Watch(bus);
  const first = await watch.look();
  if (json) return sayJson(first);
  if (once || process.stdout.isTTY !== true)
    return say(frame(first, { columns: process.stdout.columns ?? 80, rows: 60, colour: isColoured, now: first.at }));
  const told = untilTold();
  const page = new Page(process.stdout.fd);
  try {
    await watching(watch, { first, told, page });
  } finally {
    page.close();
    if (told.aborted) await bus.nc.close(); // gives up a look that is under way
  }
}

interface Watching {
  readonly first: Facts;
  readonly told: AbortSignal;
  readonly page: Page;
}

/** Draws every second, even without an answer; looks again once the last look is done. */
async function watching(watch: Watch, { first, told, page }: Watching): Promise<void> {
  let [facts, asking] = [first, false];
  let failed: unknown;
  const draw = (): void => page.draw(shown(facts));
  process.stdout.on('resize', draw);
  while (!told.aborted && !failed) {
    draw();
    if (!asking) {
      asking = true;
      void watch.look().then(
        (seen) => {
          facts = seen;
          asking = false;
        },
        (error) => {
          failed = error;
        },
      );
    }
    await sleep(everyMs, told).catch(() => undefined);
    readStackFile(homeOf(process.env)); // throws if it has stopped
  }
  if (failed && !told.aborted) throw failed;
}

function shown(facts: Facts): string {
  const { columns, rows } = process.stdout;
  return frame(facts, { columns, rows, colour: isColoured, now: now() });
}
