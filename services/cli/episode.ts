import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { getValue } from '#kit/values';
import { token } from '#protocol/message';
import { type Verdict, verdict } from '#protocol/verdict';
import { withStack } from './open.ts';
import { examples } from './options.ts';
import { orDash } from './report/figures.ts';
import { bold, dim, red, say, sayJson, UsedWrongly, warn } from './say.ts';
import { exportSpans } from './trace/spans.ts';
import { runsWith, storyOf } from './trace/story.ts';
import { type Hop, hopsOf, rowsOf } from './trace/tree.ts';

interface Options {
  readonly run?: string;
  readonly json: boolean;
}

const showing = [
  ['uplift episode show g3-1', 'the second episode of group g3, in the latest run'],
  ['uplift episode show g3-1 --run RUN', 'that of another run'],
] as const;

/** `uplift episode …` */
export function addEpisode(program: Command): void {
  program
    .command('episode')
    .description('one attempt of the agent at one spec')
    .addHelpText('after', examples(...showing))
    .command('show')
    .description('every message of an episode: what caused it, and how long it took')
    .argument('<episode>', 'as reports and logs name it')
    .option('--run <RUN>', 'the run it belongs to (default: the latest with an episode of this name)')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...showing))
    .addHelpText(
      'after',
      '\nWith OTEL_EXPORTER_OTLP_ENDPOINT set it is also sent there, as the spans of one trace (OTLP over HTTP, as JSON).',
    )
    .action((episode: string, options: Options) => withStack('viewer', (bus) => show(bus, episode, options)));
}

async function show(bus: Bus, episode: string, { run: given, json }: Options): Promise<void> {
  const { run, hops } = await find(bus, episode, given);
  const ending = await getValue(bus, verdict, `${run}.${episode}`);
  if (json) sayJson({ run, episode, outcome: ending?.outcome ?? null, reward: ending?.reward ?? null, messages: hops });
  else for (const line of [headLine({ run, episode, hops }, ending), ...treeLines(hops)]) say(line);
  try {
    const sent = await exportSpans(hops, { run, episode, env: process.env });
    if (sent) warn(dim(`${hops.length} spans sent to ${sent.url}`));
  } catch (error) {
    warn(red(`no spans were sent: ${error instanceof Error ? error.message : String(error)}`));
    process.exitCode = 1;
  }
}

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
