import { noUsage } from '#protocol/mind';

/** The part of a move that only a language model fills. */
export const speechless = { thinking: '', model: null, usage: noUsage, sampled: null };
