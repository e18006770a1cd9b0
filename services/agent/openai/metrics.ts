import { counter } from '#kit/metrics';

const outcomes = ['answered', 'unreachable', 'busy', 'refused', 'unfit-answer'] as const;
export const mindRequests = counter(
  'agent_mind_requests_total',
  'Requests to endpoints of language models, by outcome',
  ['outcome'],
);
export const mindTokens = counter('agent_mind_tokens_total', 'Tokens of language models, in prompts and in answers', [
  'kind',
]);
// a run without a language model shows that there were none
for (const outcome of outcomes) mindRequests.inc({ outcome }, 0);
for (const part of ['prompts', 'answers']) mindTokens.inc({ kind: part }, 0);
