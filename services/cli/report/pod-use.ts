import { grouped, type RunData, wallSecondsOf } from './run-data.ts';

export interface PodUse {
  readonly pod: string;
  readonly jobs: number;
  /** The share of each stretch of the run in which the pod trained. */
  readonly shares: readonly number[];
}

/**
 * From the verdicts: a training ended as its episode did and took as long as it says. What came between, the answers to
 * the hidden items, is a moment; trainings that seem to overlap because of it count once.
 */
export function podUseOf(data: RunData, stretches: number): PodUse[] {
  const width = wallSecondsOf(data) / stretches;
  const trained = data.verdicts.filter(({ pod, seconds }) => pod !== null && seconds !== null);
  return [...grouped(trained, ({ pod }) => pod ?? '')]
    .map(([pod, all]) => {
      const busy = new Array<number>(stretches).fill(0);
      for (const { endedAt, seconds } of all) {
        const end = (endedAt - data.record.startedAt) / 1000;
        addTo(busy, { from: end - (seconds ?? 0), to: end, width });
      }
      return { pod, jobs: all.length, shares: busy.map((share) => Math.min(1, share)) };
    })
    .sort((a, b) => a.pod.localeCompare(b.pod, 'en', { numeric: true }));
}

function addTo(busy: number[], { from, to, width }: { from: number; to: number; width: number }): void {
  if (!(width > 0)) return;
  const last = Math.min(busy.length - 1, Math.floor(to / width));
  for (let at = Math.max(0, Math.floor(from / width)); at <= last; at += 1) {
    const overlap = Math.min(to, (at + 1) * width) - Math.max(from, at * width);
    busy[at] = (busy[at] ?? 0) + Math.max(0, overlap) / width;
  }
}
