// The episode so far, in the words in which a model is told of it: what it said, what it called, what came of that.
import type { Finding } from '#protocol/finding';
import type { TrainingStep } from '#protocol/training';
import type { ExperimentResult, Move } from '#protocol/transcript';
import type { Moment } from '../mind.ts';

/** A text, and the line that stands for it once there is no room; the same where it stays. */
export interface Piece {
  readonly full: string;
  readonly brief: string;
}
export interface CallOfRound {
  readonly tool: string;
  readonly input: Readonly<Record<string, Piece>>;
  readonly result: Piece;
}
export interface Round {
  readonly said: Piece;
  readonly thinking: string;
  readonly calls: readonly CallOfRound[];
  /** What it is told besides the results. */
  readonly told: readonly Piece[];
}

export const shown = ({ full, brief }: Piece, isBrief: boolean): string => (isBrief ? brief : full);

/** A call of no tool holds what was wrong with an answer as a whole. */
export const wholeAnswer = '';

/** Shorter texts stay: the line in their place would be as long. */
const shortest = 240;
/** With so many answers left, it is told how many. */
const fewLeft = 3;

export function roundsOf(moment: Moment): Round[] {
  const { moves, findings, experiments, allowance } = moment;
  return moves.map((move, at) => {
    const next: After = moves[at + 1] ?? { findings, experiments };
    return roundOf(move, next, allowance.moves - at - 1);
  });
}

type After = { readonly findings: readonly Finding[] | null; readonly experiments: readonly ExperimentResult[] };

function roundOf(move: Move, after: After, left: number): Round {
  const made = move.calls.filter(({ tool }) => tool !== wholeAnswer);
  const calls = made.map((call) => ({
    tool: call.tool,
    input: Object.fromEntries(Object.entries(call.input).map(([name, text]) => [name, inputPiece(call, name, text)])),
    result: call.result === null ? endingPiece(call.tool, after) : resultPiece(call, call.result),
  }));
  const wrong = move.calls.filter(({ tool }) => tool === wholeAnswer).map(({ result }) => stays(result ?? ''));
  const awaited = made.at(-1)?.tool === 'await_experiments';
  const came = !awaited && after.experiments.length > 0 ? [experimentsPiece(after.experiments)] : [];
  const few = left <= fewLeft ? [stays(leftOf(left))] : [];
  const told = [...wrong, ...came, ...few];
  const said = stays(move.text);
  if (calls.length + told.length === 0) return { said, thinking: move.thinking, calls, told: [stays(noCall)] };
  return { said, thinking: move.thinking, calls, told };
}

export const noCall =
  'Your answer had no call of a tool, so nothing was done. Every answer must call at least one tool; "submit" submits ' +
  'the job, "finish" gives up.';

const leftOf = (left: number): string =>
  left === 1 ? 'This is your last answer: submit in it.' : `You have ${left} answers left: submit before they run out.`;

const stays = (text: string): Piece => ({ full: text, brief: text });
const goes = (text: string, brief: string): Piece =>
  text.length <= shortest ? stays(text) : { full: text, brief: `[dropped to make room: ${brief}]` };
const size = (text: string): string => `${text.length} characters`;

type Call = Move['calls'][number];
const fileOf = ({ input }: Call): string => (input.file === undefined ? '' : ` ${input.file}`);

function inputPiece(call: Call, name: string, text: string): Piece {
  const again =
    call.tool === 'write_file' || call.tool === 'edit_file' ? '; read_file shows the file as it is now' : '';
  return goes(text, `"${name}" of ${call.tool}${fileOf(call)}, ${size(text)}${again}`);
}

function resultPiece(call: Call, result: string): Piece {
  return goes(result, `the result of ${call.tool}${fileOf(call)}, ${size(result)}; call it again to see it`);
}

function endingPiece(tool: string, { findings, experiments }: After): Piece {
  if (tool === 'await_experiments') return experimentsPiece(experiments);
  if (findings === null) return stays('it was not done');
  if (findings.length === 0) return stays('valid: nothing was found');
  const lines = findings.map(({ code, file, line, sentence }) => {
    const where = line === null ? file : `${file}:${line}`;
    return `- ${code} in ${where}: ${sentence}`;
  });
  const text = [`not valid; ${findings.length} found:`, ...lines].join('\n');
  return goes(
    text,
    `${findings.length} findings (${findings.map(({ code }) => code).join(', ')}); validate shows today's`,
  );
}

function experimentsPiece(results: readonly ExperimentResult[]): Piece {
  if (results.length === 0) return stays('no experiment was under way');
  const lines = results.map((result) => [headOf(result), ...curveOf(result)].join('\n'));
  return { full: lines.join('\n'), brief: `${results.map(headOf).join('\n')}\n[curves dropped to make room]` };
}

function headOf(result: ExperimentResult): string {
  const name = `experiment ${result.experiment}`;
  if (result.outcome === 'invalid')
    return `${name}: not valid: ${result.findings.map(({ code, sentence }) => `${code}: ${sentence}`).join('; ')}`;
  const seconds = `${result.seconds.toFixed(1)} s of training`;
  if (result.outcome === 'failed')
    return `${name}: failed, ${seconds}: ${result.failure.code}: ${result.failure.detail}`;
  return `${name}: score ${result.score.toFixed(3)} on ${result.items} probe items, ${seconds}`;
}

/** At most so many steps of a curve: the first, the last, and some between. */
const mostSteps = 12;

function curveOf(result: ExperimentResult): string[] {
  if (result.outcome === 'invalid' || result.curve.length === 0) return [];
  const { curve } = result;
  const every = Math.max(1, Math.ceil((curve.length - 1) / (mostSteps - 1)));
  const some = curve.filter((_, at) => at % every === 0 || at === curve.length - 1);
  return ['  step  reward  entropy  kl', ...some.map(stepLine)];
}

const stepLine = ({ step, reward, entropy, kl }: TrainingStep): string =>
  `  ${String(step).padStart(4)}  ${reward.toFixed(3)}   ${entropy.toFixed(3)}    ${kl.toFixed(3)}`;
