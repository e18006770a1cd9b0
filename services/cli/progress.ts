import type { z } from 'zod';
import type { pods } from '#protocol/pod';
import type { RunRecord, StepRecord } from '#protocol/run';
import { duration, share } from './report/figures.ts';
import { bold, dim, say } from './say.ts';

export interface Watched {
  readonly run: string;
  readonly record: RunRecord | undefined;
  readonly pods: z.infer<typeof pods.body> | undefined;
}

export const bar = (part: number, width: number): string => {
  const full = Math.round(Math.max(0, Math.min(1, part)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
};

/** Prints a line for each closed step; on a terminal also a status line, which is overwritten. */
export class Progress {
  #steps = 0;
  #evaluations = new Set<number>();
  #drawn = false;
  #waits = false;
  readonly #terminal = process.stdout.isTTY === true;

  look({ record, pods: there }: Watched): void {
    if (record) this.#steps = this.#tell(record, there);
    else this.#status('waiting for the services …');
  }

  /** Returns how many steps have been printed. */
  #tell(record: RunRecord, there: Watched['pods']): number {
    for (const step of record.steps.slice(this.#steps)) this.#line(stepLine(step, record));
    for (const one of record.evaluations)
      if (one.wanted > 0 && one.episodes + one.failed === one.wanted && !this.#evaluations.has(one.policyVersion)) {
        this.#evaluations.add(one.policyVersion);
        const of = one.policyVersion === 0 ? 'before training' : `after ${one.policyVersion} steps`;
        this.#line(`  ${bold('held out')}  reward ${share(one.reward)}  uplift ${share(one.uplift)}  ${dim(of)}`);
      }
    this.#status(statusOf(record, there));
    return record.steps.length;
  }

  /** Clears the status line. */
  end(): void {
    if (this.#drawn) process.stdout.write('\r\u001b[2K');
    this.#drawn = false;
  }

  #line(text: string): void {
    this.end();
    say(text);
  }

  #status(text: string): void {
    if (!this.#terminal) {
      // a pipe gets one status line, not one for every look
      if (!this.#waits) say(text);
      this.#waits = true;
      return;
    }
    process.stdout.write(`\r\u001b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    this.#drawn = true;
  }
}

function stepLine(step: StepRecord, { config }: RunRecord): string {
  const { reward, validity, quality, uplift, speed, jobs, stalenessMax, seconds } = step;
  const width = String(config.steps).length;
  return [
    `  step ${String(step.step + 1).padStart(width)}/${config.steps}  ${bar(reward, 20)} ${bold(share(reward))}`,
    dim(
      `validity ${share(validity)} · quality ${share(quality)} · uplift ${share(uplift)} · speed ${share(speed)} · ` +
        `${jobs} jobs · off-policy ${stalenessMax} · ${seconds.toFixed(1)} s`,
    ),
  ].join('  ');
}

function statusOf(record: RunRecord, there: Watched['pods']): string {
  const { scored, invalid, failed } = record.outcomes;
  const ended = scored + invalid + failed;
  const phases = there?.pods.map(({ phase }) => phase) ?? [];
  const ready = phases.filter((phase) => phase === 'ready' || phase === 'leased').length;
  const busy = phases.filter((phase) => phase === 'leased').length;
  return [
    `  ${record.phase}`,
    `${ended} episodes ended, ${record.underWay} under way`,
    `${busy} of ${ready} pods busy`,
    timeLeft(record),
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * An estimate, from the mean time per episode so far, of the remaining steps and the last evaluation; empty if unknown.
 */
export function timeLeft({ steps, config, phase, evaluations }: RunRecord): string {
  if (steps.length === 0 || phase !== 'training') return '';
  const each = steps.reduce((sum, { seconds }) => sum + seconds, 0) / steps.length;
  const perEpisode = each / (config.groupsPerStep * config.groupSize);
  const held = evaluations[0]?.wanted ?? 0;
  return `about ${duration((config.steps - steps.length) * each + held * perEpisode)} left`;
}
