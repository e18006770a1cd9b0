// A language model at an OpenAI-compatible endpoint as a mind. Each move is asked for with the whole conversation, which
// is built anew from the moves before: nothing of an episode is kept here.
import { createHash } from 'node:crypto';
import { Failed } from '#kit/boundary';
import type { Endpoint, Usage } from '#protocol/mind';
import { sampledAfter } from '#protocol/sequence';
import type { Move, Sampled } from '#protocol/transcript';
import type { Decision, Mind, Moment } from '../mind.ts';
import { type Abilities, abilitiesOf } from './abilities.ts';
import { safe } from './access.ts';
import { asVersion } from './adapters.ts';
import type { Answer } from './answer.ts';
import { allCalls, nativeCalls } from './calls.ts';
import { complete, type Request } from './client.ts';
import { Fault, isTooLong, whereOf } from './fault.ts';
import { modelFits } from './identity.ts';
import { mindTokens } from './metrics.ts';
import { Patience } from './patience.ts';
import { systemPrompt, taskPrompt } from './prompt.ts';
import { roundsOf } from './round.ts';
import { textCalls } from './text.ts';
import { schemas } from './tools.ts';
import { type Conversation, messagesWithin } from './window.ts';

export const openai: Mind = {
  async check(endpoint, signal) {
    const { why: missing } = await abilitiesOf(needed(endpoint), new Patience(signal, 'check'));
    const why = missing || reshaped(needed(endpoint));
    return why === '' ? { learnable: 'tokens', why } : { learnable: 'nothing', why };
  },

  async decide(moment) {
    const endpoint = needed(moment.endpoint);
    const patience = new Patience(moment.signal, `${moment.episode} ${moment.moves.length}`);
    const abilities = await abilitiesOf(endpoint, patience);
    const asking = { moment, endpoint, patience, abilities, style: styleOf(moment.moves, endpoint, abilities) };
    const answer = await asVersion({ ...moment, endpoint, patience }, (model, exact) => askAs(asking, model, exact));
    return decisionOf(answer, asking);
  },
};

function needed(endpoint: Endpoint | null): Endpoint {
  if (endpoint) return endpoint;
  throw new Failed('mind/refused', 'mind "openai" needs an endpoint: give a base URL and a model');
}

/** Servers give the log-probabilities of the model itself, which are those of its sampling only without a change. */
const reshaped = ({ temperature, topP }: Endpoint): string =>
  temperature === 1 && topP === 1
    ? ''
    : `it is sampled with temperature ${temperature} and topP ${topP}, but log-probabilities are exact only at 1 and 1`;

type Style = Conversation['style'];

/** An episode goes on as it began, whatever this process found out of the endpoint. */
function styleOf(moves: readonly Move[], { calls }: Endpoint, { dialect }: Abilities): Style {
  if (calls !== 'auto') return calls;
  const begun = moves.find((move) => move.calls.some(({ tool }) => tool !== ''));
  if (begun) return textCalls(begun.text).length > 0 ? 'text' : 'native';
  return dialect.tools ? 'native' : 'text';
}

interface Asking {
  readonly moment: Moment;
  readonly endpoint: Endpoint;
  readonly patience: Patience;
  readonly abilities: Abilities;
  readonly style: Style;
}

/** A window whose size nobody knows. */
const usualWindow = 32_768;
/** How much of the window the conversation may take at each try: tokens are estimated, and a server counts them. */
const shares = [0.95, 0.7, 0.5];

async function askAs(asking: Asking, model: string, exact: boolean): Promise<Answer> {
  const { endpoint, patience, abilities, style } = asking;
  const dialect = { ...abilities.dialect, tools: style === 'native' };
  const place = { ...endpoint, model };
  for (const share of shares) {
    const request = await requestOf(asking, { model, share });
    try {
      const answer = await patience.ask(place, (attempt) => complete(place, { request, dialect }, attempt));
      modelFits(place, { asked: model, answered: answer.model, exact });
      return answer;
    } catch (error) {
      if (!(error instanceof Fault && isTooLong(error))) throw error;
    }
  }
  throw noRoom(place, windowOf(asking));
}

const noRoom = (place: Endpoint, window: number): Failed =>
  new Failed(
    'mind/no-room',
    `the conversation does not fit into the ${window} tokens of ${whereOf(place)}, not even shortened: ` +
      'a larger window or a smaller answerTokens is needed',
  );

const windowOf = ({ endpoint, abilities }: Asking): number =>
  endpoint.contextTokens ?? abilities.contextTokens ?? usualWindow;

async function requestOf(asking: Asking, { model, share }: { model: string; share: number }): Promise<Request> {
  const { moment, endpoint, style } = asking;
  const window = windowOf(asking);
  const answerTokens = answerTokensOf(asking);
  const messages = messagesWithin(await conversationOf(moment, style), Math.floor((window - answerTokens) * share));
  if (!messages) throw noRoom(endpoint, window);
  const { temperature, topP } = endpoint;
  return { model, messages, tools: schemas, temperature, topP, seed: seedOf(moment), answerTokens };
}

/** An answer never takes more than half of the window. */
const answerTokensOf = (asking: Asking): number =>
  Math.min(asking.endpoint.answerTokens, Math.floor(windowOf(asking) / 2));

async function conversationOf(moment: Moment, style: Style): Promise<Conversation> {
  const rounds = roundsOf(moment);
  return {
    style,
    opening: [
      { role: 'system', content: await systemPrompt(style) },
      { role: 'user', content: taskPrompt(moment.task, moment.allowance) },
    ],
    rounds: moment.moves.flatMap(({ usage }, at) => {
      const round = rounds[at];
      return round ? [{ round, usage }] : [];
    }),
    besides: style === 'native' ? JSON.stringify(schemas).length : 0,
  };
}

/** Of sampling: another one for each move of each episode, and the same when it is asked again. */
const seedOf = ({ seed, episode, moves }: Moment): number =>
  createHash('sha256').update(`${seed} ${episode} ${moves.length}`).digest().readUInt32LE() >>> 1;

function decisionOf(answer: Answer, asking: Asking): Decision {
  const { moment, endpoint, style } = asking;
  const calls = style === 'native' ? nativeCalls(answer) : textCalls(safe(answer.text));
  const sampled = sampledOf(answer, moment);
  const usage = usageOf(answer, endpoint);
  mindTokens.inc({ kind: 'prompts' }, usage.promptTokens);
  mindTokens.inc({ kind: 'answers' }, usage.completionTokens);
  return {
    text: safe(answer.text || answer.refusal),
    thinking: safe(answer.thinking),
    choices: [],
    model: safe(answer.model),
    usage,
    ...(sampled ? { sampled } : {}),
    calls: allCalls(answer, calls, answerTokensOf(asking)),
  };
}

/** undefined: the endpoint did not give all of it, or not in equal numbers. */
function sampledOf({ tokens, usage }: Answer, { moves }: Moment): Sampled | undefined {
  const { prompt, completion, logprobs } = tokens;
  const counted = usage === null || (usage.completion === completion.length && usage.prompt === prompt?.length);
  if (!prompt?.length || completion.length === 0 || logprobs.length !== completion.length || !counted) return undefined;
  return sampledAfter(moves, { prompt, completion: [...completion], logprobs: [...logprobs] });
}

/** Where an endpoint does not count, four characters are taken for a token, so that limits still hold. */
function usageOf({ usage, tokens, text, thinking, calls }: Answer, endpoint: Endpoint): Usage {
  const written = text.length + thinking.length + calls.reduce((sum, call) => sum + call.text.length, 0);
  const promptTokens = usage?.prompt ?? tokens.prompt?.length ?? 0;
  const completionTokens = usage?.completion ?? (tokens.completion.length || Math.ceil(written / 4));
  const usd = (promptTokens * endpoint.inputUsdPerMillion + completionTokens * endpoint.outputUsdPerMillion) / 1e6;
  return { promptTokens, completionTokens, usd };
}
