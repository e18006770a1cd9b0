import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { eachSaid } from '#kit/said';
import { unpack } from '#kit/wire';
import { transcripts } from '#protocol/episode';
import { moveMade } from '#protocol/move';
import { type Move, transcript } from '#protocol/transcript';

interface Place {
  readonly run: string;
  readonly episode: string;
  /** The sequence number to begin at. */
  readonly from?: number;
}

/** The moves of an episode after each of its moves, and where to go on reading. */
export async function* eachMade(
  bus: Bus,
  { run, episode, from = 1 }: Place,
): AsyncGenerator<{ readonly moves: readonly Move[]; readonly next: number }> {
  for await (const { data, seq } of eachSaid(bus, 'agent', { run, key: episode, name: moveMade.name, from })) {
    const bytes = await blobs(bus).get(transcripts.name, moveMade.body.parse(unpack(data)).transcript);
    yield { moves: transcript.parse(JSON.parse(new TextDecoder().decode(bytes))).moves, next: seq + 1 };
  }
}

/** All moves so far. */
export async function movesOf(bus: Bus, place: Place): Promise<readonly Move[]> {
  let last: readonly Move[] = [];
  for await (const { moves } of eachMade(bus, place)) last = moves;
  return last;
}
