import { counter } from '#kit/metrics';

export const movesMade = counter('agent_moves_total', 'Moves of agents, by what follows them', ['next']);
export const toolCalls = counter('agent_tool_calls_total', 'Calls of tools by agents', ['tool']);
