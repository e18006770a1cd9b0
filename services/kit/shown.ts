import type { Actor, Saved } from './actor.ts';
import { now } from './clock.ts';
import { log } from './log.ts';
import { beforeScrape } from './metrics.ts';
import type { Records } from './records.ts';
import { count } from './saved.ts';

/** Most instances that are shown, which bounds the number of series. */
const most = 16;

/**
 * Counts turns, and shows the instances that had the last turns in this process as gauges. These are set from the
 * stored records at each scrape, so all processes of an actor show the same, whichever of them took the last turn.
 */
export class Shown<S> {
  readonly #recent = new Set<string>();
  readonly #actor: Actor<S>;
  readonly #records: Records<S>;
  readonly #stop: () => void;
  #ended = false;
  #setting: Promise<void> | undefined;

  constructor(actor: Actor<S>, records: Records<S>) {
    this.#actor = actor;
    this.#records = records;
    // scrapes continue while the server is away, and must not pile up
    this.#stop = beforeScrape(async () => {
      this.#setting ??= this.#set().finally(() => {
        this.#setting = undefined;
      });
      await this.#setting;
    });
  }

  told(turn: Saved<S>): void {
    count(this.#actor, turn);
    const { showing } = this.#actor;
    const { address, state } = turn;
    if (!showing) return;
    this.#recent.delete(address);
    if (showing.isShown(state, now())) this.#recent.add(address);
    const [oldest] = this.#recent;
    if (this.#recent.size > most && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** A process that no longer leads shows nothing. */
  end(): void {
    this.#ended = true;
    this.#stop();
    for (const gauge of this.#actor.showing?.gauges ?? []) gauge.reset();
  }

  async #set(): Promise<void> {
    const { showing, name } = this.#actor;
    if (!showing) return;
    const stored = await Promise.all(
      [...this.#recent].map(async (address) => ({ address, ...(await this.#records.stored(address)) })),
    );
    if (this.#ended) return;
    try {
      for (const gauge of showing.gauges) gauge.reset();
      for (const { address, state } of stored) {
        const at = { address, now: now() };
        if (showing.isShown(state, at.now)) showing.show(state, at);
        else this.#recent.delete(address);
      }
    } catch (error) {
      log.error({ actor: name, error: String(error) }, 'what an actor is could not be shown');
    }
  }
}
