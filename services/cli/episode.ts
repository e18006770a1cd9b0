import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { getValue } from '#kit/values';
import { token } from '#protocol/message';
import type { Move } from '#protocol/transcript';
import { type Verdict, verdict } from '#protocol/verdict';
import { withStack } from './open.ts';
import { examples, type Given, givenOf, withMind } from './options.ts';
import { orDash } from './report/figures.ts';
import { bold, dim, red, say, sayJson, UsedWrongly, warn } from './say.ts';
import { movesOf } from './trace/moves.ts';
import { exportSpans } from './trace/spans.ts';
import { runsWith, storyOf } from './trace/story.ts';
import { type Hop, hopsOf, rowsOf } from './trace/tree.ts';
import { type Extent, endingLines, moveLines } from './transcript.ts';

interface Options extends Extent {
  readonly run?: string;
  readonly json: boolean;
}

const showing = [
  ['uplift episode show g3-1', 'the second episode of group g3, in the latest run'],
  ['uplift episode show g3-1 --run RUN', 'that of another run'],
] as const;

const playing = [
  ['uplift episode --family reverse', 'the catalogue mind plays one, on the stack that is up or on one of its own'],
  ['uplift episode --family reverse --mind openai --base-url URL --model NAME', 'a language model does'],
] as const;

interface Play extends Given {
  readonly family?: string;
  readonly formula?: string;
  readonly json?: string;
  readonly full: boolean;
}

/** `uplift episode …` */
export function addEpisode(program: Command): void {
  const command = withMind(
    program
      .command('episode')
      .description('one attempt of the agent at one spec: play it and watch, or show an earlier one')
      .enablePositionalOptions()
      .option('--family <NAME>', 'the kind of skill that a model is to be trained in, as "uplift baselines" names it')
      .option('--seed <N>', 'the same seed draws the same spec and choices')
      .option('--formula <NAME>', 'how the reward is computed from its parts: "reference" or "gated"'),
  );
  command
    .option('--full', 'show every line of what is written', false)
    .option('--json <FILE>', 'also write all of it to this file')
    .addHelpText('after', examples(...playing, ...showing))
    .action((options: Play) => play(options));
  command
    .command('show')
    .description('what was done in an episode, and every message of it: what caused it, and how long it took')
    .argument('<episode>', 'as reports and logs name it')
    .option('--run <RUN>', 'the run it belongs to (default: the latest with an episode of this name)')
    .option('--full', 'show every line of what was written', false)
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...showing))
    .addHelpText(
      'after',
      '\nWith OTEL_EXPORTER_OTLP_ENDPOINT set it is also sent there, as the spans of one trace (OTLP over HTTP, as JSON).',
    )
    .action((episode: string, options: Options) => withStack('viewer', (bus) => show(bus, episode, options)));
}

async function play({ family, formula, json, full, ...options }: Play): Promise<void> {
  if (family === undefined)
    throw new UsedWrongly('say which kind of skill: --family NAME; "uplift baselines" lists them');
  const given = { ...givenOf(options), ...(formula === undefined ? {} : { formula }) };
  const [{ playOne }, { checked, quickstart }] = await Promise.all([import('./play.ts'), import('./train.ts')]);
  const config = checked({ ...quickstart(options.mind), ...given, steps: 0, trial: family }, 'the options');
  await playOne({ config, json, full });
}

async function show(bus: Bus, episode: string, options: Options): Promise<void> {
  const { run, hops } = await find(bus, episode, options.run);
  const ending = await getValue(bus, verdict, `${run}.${episode}`);
  const story = { run, episode, hops, moves: await movesOf(bus, { run, episode }) };
  if (options.json) sayJson({ ...story, hops: undefined, messages: hops, ...outcomeOf(ending) });
  else for (const line of linesOf(story, ending, options)) say(line);
  try {
    const sent = await exportSpans(hops, { run, episode, env: process.env });
    if (sent) warn(dim(`${hops.length} spans sent to ${sent.url}`));
  } catch (error) {
    warn(red(`no spans were sent: ${error instanceof Error ? error.message : String(error)}`));
    process.exitCode = 1;
  }
}

const outcomeOf = (ending?: Verdict) => ({ outcome: ending?.outcome ?? null, reward: ending?.reward ?? null });

interface Story {
  readonly run: string;
  readonly episode: string;
  readonly hops: Hop[];
  readonly moves: readonly Move[];
}

const linesOf = (story: Story, ending: Verdict | undefined, extent: Extent): string[] => [
  headLine(story, ending),
  ...story.moves.flatMap((move, at) => moveLines(move, at + 1, extent)),
  ...(ending ? [bold('── ending ────────'), ...endingLines(ending)] : []),
  bold('── messages ──────'),
  ...treeLines(story.hops),
];

async function find(bus: Bus, episode: string, given?: string): Promise<{ run: string; hops: Hop[] }> {
  for (const name of [episode, given ?? 'main'])
    if (!token.safeParse(name).success)
      throw new UsedWrongly(`"${name}" is not a name: it is 1 to 64 letters, digits, "-" or "_"`);
  const run = given ?? (await runsWith(bus, episode)).at(-1);
  const hops = run === undefined ? [] : hopsOf(await storyOf(bus, { run, episode }));
  if (run !== undefined && hops.length > 0) return { run, hops };
  throw new UsedWrongly(
    `there is no episode "${episode}"${run === undefined ? '' : ` in run "${run}"`}; the report of a run names some of its ` +
      'episodes ("npx uplift runs report RUN"), and "npx uplift pods ls" names the jobs of those under way',
  );
}

function headLine({ run, episode, hops }: { run: string; episode: string; hops: Hop[] }, ending?: Verdict): string {
  const at = new Date(hops[0]?.at ?? 0).toISOString().replace('T', ' ').slice(0, 19);
  const { outcome, reward, policy, spec } = ending ?? {};
  const came = ending
    ? `${outcome}, reward ${orDash(reward ?? null)}, policy ${policy}, spec ${spec}`
    : 'not ended yet';
  return `${bold(episode)} of run ${run}, begun ${at} UTC: ${came}`;
}

/** For each message: time since the start, time since its cause, sender, receiver and name. */
function treeLines(hops: readonly Hop[]): string[] {
  return rowsOf(hops).map(({ branch, hop, times }) => {
    const since = hop.parent === null ? '' : `+${seconds(hop.hopMs)}`;
    const note = [times > 1 ? `× ${times}` : '', hop.waited ? 'had to wait' : ''].filter(Boolean).join(', ');
    const what = `${branch}${hop.from} → ${hop.to}  ${bold(hop.name)}`;
    return `${seconds(hop.sinceStartMs).padStart(11)} ${dim(since.padStart(11))}  ${what}  ${dim(note)}`.trimEnd();
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
