import { Command, Help, type Option } from 'commander';
import { whoIsThere } from '#kit/roster';
import { version } from '#protocol/version';
import { homeOf } from '../../deploy/local/home.ts';
import { baselines } from './baselines.ts';
import { doctor } from './doctor.ts';
import { addEpisode } from './episode.ts';
import { withStack } from './open.ts';
import { examples, type Given, givenOf, withMind } from './options.ts';
import { addParked } from './parked.ts';
import { addPodsTo, scaleOf } from './pods.ts';
import { addProbe } from './probe.ts';
import { addRuns } from './runs.ts';
import { say, sayJson, table } from './say.ts';
import { addTop } from './top.ts';
import { parseReplicas, up } from './up.ts';

/** Help that is all about the command: a flag that is off unless it is given need not say so. */
const quietly = {
  optionDescription: (option: Option): string =>
    option.defaultValue === false ? option.description : new Help().optionDescription(option),
};

/** Every command. Used wrongly, it throws: a `CommanderError`, which has told so already, or a `UsedWrongly`. */
export const program = new Command('uplift')
  .description('AI agents that train AI models, and learn to do it better')
  .version(version)
  .configureHelp(quietly)
  .showHelpAfterError('(add --help to see how it is used)')
  .exitOverride()
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `
Examples:
  uplift start                    the quickstart: a training run on this machine, and a report of it
  uplift up --pods 4              only the services, until Ctrl-C
  uplift train --config FILE      a training run on the services that are up
  uplift top                      what is going on, at a glance
  uplift runs report RUN          how a run went, as a page to read
  uplift episode --family reverse one episode by hand, shown as it is played
  uplift episode show EPISODE     what an earlier one did, and every message of it
  uplift doctor                   what is missing here, and how to get it

Everything is kept in .uplift, or where UPLIFT_HOME points. Exit codes: 0 done, 1 the work failed, 2 used
wrongly, 130 interrupted.`,
  );

withMind(
  program
    .command('start')
    .description('the whole loop on this machine: every service, a training run, and a report of it')
    .option('--steps <N>', 'updates of the policy')
    .option('--seed <N>', 'the same seed draws the same specs and choices')
    .option('--pods <N | MIN..MAX>', 'pods that train at the same time', '2')
    .option('--json <FILE>', 'also write the summary to this file')
    .option('--fresh', 'stop a run that has not ended, and begin another', false),
)
  .addHelpText(
    'after',
    examples(
      ['uplift start', 'the quickstart: 20 steps of 16 episodes'],
      ['uplift start --steps 5 --seed 3', 'a shorter one, with other specs'],
      [
        'uplift start --mind openai --base-url http://127.0.0.1:8000/v1 --model NAME',
        'a language model writes the jobs',
      ],
      ['uplift start --json summary.json', 'with its figures in a file, for programs'],
    ),
  )
  .addHelpText('after', '\nCtrl-C stops it at any time; the next start resumes the run.')
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

withMind(
  program
    .command('train')
    .description('a training run on the stack that is up in this home')
    .requiredOption('--config <FILE>', 'the knobs of the run, as TOML; protocol/run.ts lists them')
    .option('--steps <N>', 'updates of the policy, instead of what the file says')
    .option('--seed <N>', 'instead of what the file says')
    .option('--json <FILE>', 'also write the summary to this file'),
)
  .addHelpText('after', examples(['uplift train --config deploy/runs/quickstart.toml --seed 3', 'another quickstart']))
  .addHelpText('after', '\nCtrl-C stops watching; the run goes on.')
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
  .option('--pods <N | MIN..MAX>', 'how many pods to have', '2')
  .option('--replicas <service=N...>', 'processes of a service; one each unless given', [])
  .option('--watch', 'start a Prometheus beside it, and a Grafana where one is installed', false)
  .addHelpText(
    'after',
    examples(
      ['uplift up --pods 1..4', 'as many pods as jobs need, between these'],
      ['uplift up --replicas agent=2 evaluator=2', 'two processes of these services'],
      ['uplift up --watch', 'with dashboards'],
    ),
  )
  .action(({ pods, replicas, watch }: { pods: string; replicas: string[]; watch: boolean }) =>
    up({ replicas: parseReplicas(replicas), pods: scaleOf(pods), watch }),
  );

program
  .command('down')
  .description('stop the stack that runs in this home, and wait until nothing of it is left')
  .addHelpText('after', examples(['UPLIFT_HOME=other uplift down', 'the stack of another home']))
  .action(() => import('./down.ts').then(({ down }) => down()));

program
  .command('ps')
  .description('which processes answer on the bus, and where each has /metrics and /healthz')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples(['uplift ps --json | jq length', 'how many there are']))
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
  .description('measure what the untrained base models score on the hidden items, and pin it')
  .option('--check', 'pin nothing; fail if a score differs from what is pinned', false)
  .option('--json', 'for programs', false)
  .addHelpText(
    'after',
    examples(['uplift baselines', 'measure and pin'], ['uplift baselines --check', 'only compare with what is pinned']),
  )
  .action(async (options: { check: boolean; json: boolean }) => {
    if (!(await withStack('operator', (bus) => baselines(bus, options)))) process.exitCode = 1;
  });

program
  .command('doctor')
  .description('what is here, what is missing, and how to get it')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples(['uplift doctor', 'exits with 1 if something is missing']))
  .action(async ({ json }: { json: boolean }) => {
    if (!(await doctor(json))) process.exitCode = 1;
  });
