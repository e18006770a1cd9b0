import { Command } from 'commander';
import { whoIsThere } from '#kit/roster';
import { version } from '#protocol/version';
import { homeOf, StackError } from '../../deploy/local/home.ts';
import { NatsServerMissing } from '../../deploy/nats/install.ts';
import { baselines } from './baselines.ts';
import { doctor } from './doctor.ts';
import { addEpisode } from './episode.ts';
import { withStack } from './open.ts';
import { type Given, givenOf } from './options.ts';
import { addParked } from './parked.ts';
import { addPodsTo, scaleOf } from './pods.ts';
import { addProbe } from './probe.ts';
import { addRuns } from './runs.ts';
import { red, say, sayJson, table, UsedWrongly, warn } from './say.ts';
import { addTop } from './top.ts';
import { parseReplicas, up } from './up.ts';

const program = new Command('uplift')
  .description('AI agents that train AI models, and learn to do it better')
  .version(version)
  .showHelpAfterError('(uplift --help shows what there is)')
  .addHelpText(
    'after',
    `
Examples:
  uplift up --pods 4              everything on this machine, until Ctrl-C
  uplift top                      what goes on, at one glance
  uplift pods ls                  which pods there are, and what they do
  uplift probe --count 20         what the route costs, hop by hop
  uplift parked ls                messages that could not be handled, and why
  uplift runs report RUN          what a run came to, as a page to read
  uplift episode show EPISODE     what followed from what in one episode, and when

Everything lies in .uplift, or where UPLIFT_HOME points. Exit codes: 0 done, 1 the work failed, 2 used wrongly.`,
  );

program
  .command('start')
  .description('the whole loop on this machine: every service, a training run, and a report of it')
  .option('--steps <N>', 'updates of the policy')
  .option('--seed <N>', 'the same seed draws the same specs and choices')
  .option('--pods <N | MIN..MAX>', 'pods that train at once', '2')
  .option('--json <FILE>', 'write the summary there, too')
  .option('--fresh', 'leave a run that has not ended, and begin another', false)
  .addHelpText(
    'after',
    `
Examples:
  uplift start                            the quickstart: 20 steps of 16 episodes
  uplift start --steps 5 --seed 3         a shorter one, with other specs
  uplift start --json summary.json        for programs

Ctrl-C stops it at any time; starting again goes on where it was.`,
  )
  .action((options: Given & { pods: string; json?: string; fresh: boolean }) =>
    import('./start.ts').then(({ start }) =>
      start({
        pods: scaleOf(options.pods),
        given: givenOf(options),
        json: options.json,
        fresh: options.fresh,
      }),
    ),
  );

program
  .command('train')
  .description('a training run on the stack that is up in this home')
  .requiredOption('--config <FILE>', 'its knobs as TOML, under the names of protocol/run.ts')
  .option('--steps <N>', 'updates of the policy, instead of what the file says')
  .option('--seed <N>', 'instead of what the file says')
  .option('--json <FILE>', 'write the summary there, too')
  .addHelpText('after', '\nExamples:\n  uplift train --config deploy/runs/quickstart.toml --seed 3')
  .action(async ({ config: file, json, ...options }: Given & { config: string; json?: string }) => {
    const [{ train }, { readRunConfig }] = await Promise.all([import('./start.ts'), import('./train.ts')]);
    const config = readRunConfig(file);
    await withStack('operator', (bus) =>
      train(bus, { config, given: givenOf(options), json, home: homeOf(process.env) }),
    );
  });

program
  .command('up')
  .description('start nats-server and every service on this machine, and stay until Ctrl-C')
  .option('--pods <N | MIN..MAX>', 'pods to have at once', '2')
  .option('--replicas <service=N...>', 'processes of a service, for example agent=2 evaluator=2', [])
  .option('--watch', 'with a Prometheus beside it, and a Grafana where one is installed', false)
  .action(({ pods, replicas, watch }: { pods: string; replicas: string[]; watch: boolean }) =>
    up({ replicas: parseReplicas(replicas), pods: scaleOf(pods), watch }),
  );

program
  .command('down')
  .description('stop the stack that runs in this home, and wait until nothing of it is left')
  .action(() => import('./down.ts').then(({ down }) => down()));

program
  .command('ps')
  .description('who answers on the bus')
  .option('--json', 'for programs', false)
  .action(async ({ json }: { json: boolean }) => {
    const present = await withStack('viewer', (bus, { flat }) => whoIsThere(bus, flat));
    if (json) return sayJson(present);
    const rows = present.map(({ name, metadata: { pid, http }, version }) => [
      name,
      pid,
      `http://127.0.0.1:${http}`,
      version,
    ]);
    for (const line of table([['service', 'process', 'metrics and health', 'version'], ...rows])) say(line);
  });

addProbe(program);
addParked(program);
addTop(program);
addPodsTo(program);
addRuns(program);
addEpisode(program);

program
  .command('baselines')
  .description('measure what the untrained base models get on the hidden items, and pin it')
  .option('--check', 'pin nothing, and fail where something is not as pinned', false)
  .option('--json', 'for programs', false)
  .action(async (options: { check: boolean; json: boolean }) => {
    if (!(await withStack('operator', (bus) => baselines(bus, options)))) process.exitCode = 1;
  });

program
  .command('doctor')
  .description('what is here, what is missing, and how to get it')
  .option('--json', 'for programs', false)
  .action(async ({ json }: { json: boolean }) => {
    if (!(await doctor(json))) process.exitCode = 1;
  });

// whoever reads our output may stop, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  const wrong = error instanceof UsedWrongly || error instanceof StackError;
  const plain = wrong || error instanceof NatsServerMissing;
  warn(
    red(`uplift: ${error instanceof Error ? (plain ? error.message : (error.stack ?? error.message)) : String(error)}`),
  );
  process.exitCode = wrong ? 2 : 1;
}
