import { randomInt } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { Doubt } from '#kit/doubt';
import { soak } from '../support/soak.ts';

// A model of a consumer and of the processes that it hands messages to. The server may be killed, and then has forgotten
// what it did since it last wrote down where the consumer stands; processes may die, and messages may come again.

interface Delivery {
  readonly seq: number;
  readonly tries: number;
  readonly deliverySeq: number;
}

/** Deliveries that may have come to a process unheeded. */
const ahead = 3;

const actions = {
  handOut: 10,
  handOutAgain: 5,
  heed: 12,
  handle: 12,
  fail: 1,
  hear: 1,
  die: 1,
  writeDown: 2,
  killServer: 1,
} as const;
type Action = keyof typeof actions;
interface Choice {
  readonly action: Action;
  readonly process: number;
  readonly which: number;
}

interface Standing {
  next: number;
  deliverySeq: number;
  /** How often each message in somebody's hands was handed out. */
  readonly pending: Map<number, number>;
}

class Process {
  readonly doubt: Doubt;
  readonly arrived: Delivery[] = [];
  readonly mailboxes = new Map<number, Delivery[]>();
  readonly cursors = new Map<number, number>();

  constructor(doubt: Doubt) {
    this.doubt = doubt;
  }
}

type Make = (...args: ConstructorParameters<typeof Doubt>) => Doubt;

class World {
  /** Which instance each message is for; null: not of this consumer. */
  readonly #mail: readonly (number | null)[];
  readonly #make: Make;
  readonly #handled = new Map<number, number>();
  readonly #processes: Process[];
  #standing: Standing = { next: 1, deliverySeq: 0, pending: new Map() };
  #written = structuredClone(this.#standing);
  #server = 0;
  looks = 0;

  constructor(mail: readonly (number | null)[], processes: number, make: Make) {
    this.#mail = mail;
    this.#make = make;
    this.#processes = Array.from({ length: processes }, () => this.#born());
  }

  act({ action, process: index, which }: Choice): void {
    const process = this.#processes[index % this.#processes.length] as Process;
    const standing = this.#standing;
    if (action === 'handOut') this.#handOut(process);
    else if (action === 'handOutAgain') this.#handOutAgain(process, which);
    else if (action === 'heed') this.#heed(process);
    else if (action === 'handle' || action === 'fail') this.#turn(process, which, action === 'fail');
    else if (action === 'hear') process.doubt.heard(this.#stands());
    else if (action === 'die') this.#processes[this.#processes.indexOf(process)] = this.#born();
    else if (action === 'writeDown') this.#written = structuredClone(standing);
    else this.#killServer();
  }

  #born(): Process {
    return new Process(this.#make(this.#stands(), ahead));
  }

  #stands() {
    const { next, pending, deliverySeq } = this.#standing;
    return {
      floor: Math.min(next, ...pending.keys()) - 1,
      delivered: next - 1,
      deliverySeq,
      server: `${this.#server}`,
    };
  }

  #killServer(): void {
    this.#standing = structuredClone(this.#written);
    this.#server += 1;
  }

  #handOut(process: Process): void {
    const standing = this.#standing;
    if (process.arrived.length === ahead) return;
    while (this.#mail[standing.next - 1] === null) standing.next += 1;
    if (standing.next > this.#mail.length) return;
    this.#give(process, standing.next, 1);
    standing.next += 1;
  }

  #handOutAgain(process: Process, which: number): void {
    const all = [...this.#standing.pending];
    const found = all[which % all.length];
    if (found && process.arrived.length < ahead) this.#give(process, found[0], found[1] + 1);
  }

  #give(process: Process, seq: number, tries: number): void {
    this.#standing.pending.set(seq, tries);
    this.#standing.deliverySeq += 1;
    process.arrived.push({ seq, tries, deliverySeq: this.#standing.deliverySeq });
  }

  #heed(process: Process): void {
    const delivery = process.arrived.shift();
    if (!delivery) return;
    process.doubt.saw(delivery, `${this.#server}`);
    const instance = this.#instanceOf(delivery);
    process.mailboxes.set(instance, [...(process.mailboxes.get(instance) ?? []), delivery]);
  }

  #turn(process: Process, which: number, fails: boolean): void {
    const waiting = [...process.mailboxes.values()].filter((mailbox) => mailbox.length > 0);
    const delivery = waiting[which % waiting.length]?.shift();
    if (!delivery) return;
    const instance = this.#instanceOf(delivery);
    const handled = this.#handled.get(instance) ?? 0;
    this.#look(process, delivery, handled);
    if (fails) {
      process.doubt.letGo(delivery);
      return;
    }
    this.#handled.set(instance, Math.max(handled, delivery.seq));
    process.cursors.set(instance, Math.max(handled, delivery.seq));
    if (which % 5 > 0) this.#standing.pending.delete(delivery.seq); // else the acknowledgement is lost
  }

  /** What this is about: whatever lies unhandled before a message that is about to be handled will be found. */
  #look({ doubt, cursors }: Process, delivery: Delivery, handled: number): void {
    const instance = this.#instanceOf(delivery);
    const { seq } = delivery;
    const earlier = this.#mail.findIndex((one, index) => one === instance && index + 1 > handled) + 1;
    for (const cursor of [handled, cursors.get(instance) ?? handled]) {
      const from = doubt.lookFrom(cursor, seq);
      if (from !== null) this.looks += 1;
      if (earlier < seq && earlier > 0 && (from === null || from > earlier))
        throw new Error(`${seq} would be handled before ${earlier}: with cursor ${cursor} it looks from ${from}`);
    }
  }

  #instanceOf({ seq }: Delivery): number {
    return this.#mail[seq - 1] ?? -1;
  }
}

const mail = fc.array(fc.option(fc.nat(2), { freq: 4 }), { minLength: 2, maxLength: 20, size: 'max' });
const choicesOf = (weights: Partial<Record<Action, number>>) =>
  fc.array(
    fc.record({
      action: fc.oneof(
        ...Object.entries(weights).map(([action, weight]) => ({ weight, arbitrary: fc.constant(action as Action) })),
      ),
      process: fc.nat(2),
      which: fc.nat(),
    }),
    { maxLength: 120, size: 'max' },
  );

const sound: Make = (...args) => new Doubt(...args);

const allFound = (make: Make) =>
  fc.property(mail, choicesOf(actions), (all, choices) => {
    const world = new World(all, 3, make);
    for (const choice of choices) world.act(choice);
  });

test('whatever lies unhandled before a message is looked for, through deaths, redeliveries and kills of the server', (t) => {
  const seed = randomInt(2 ** 31);
  t.log(`random seed ${seed}`);
  fc.assert(allFound(sound), { seed: 1, numRuns: 4_000 });
  fc.assert(allFound(sound), { seed, numRuns: soak ? 500_000 : 4_000 });
  t.pass();
});

test('one process by itself looks for nothing', (t) => {
  const { handOut, handOutAgain, heed, handle } = actions;
  const alone = fc.property(mail, choicesOf({ handOut, handOutAgain, heed, handle }), (all, choices) => {
    const world = new World(all, 1, sound);
    for (const choice of choices) world.act(choice);
    return world.looks === 0;
  });
  t.notThrows(() => fc.assert(alone, { seed: 1, numRuns: 2_000 }));
});

class TakesAgainForNew extends Doubt {
  override saw(delivery: Delivery, server: string): void {
    super.saw({ ...delivery, tries: 1 }, server);
  }
}
class KnowsOneServer extends Doubt {
  override saw(delivery: Delivery): void {
    super.saw(delivery, '0');
  }
}
class SeesNoGaps extends Doubt {
  #count = 0;
  constructor(...[standing, most]: ConstructorParameters<typeof Doubt>) {
    super({ ...standing, deliverySeq: 0 }, most);
  }
  override saw(delivery: Delivery, server: string): void {
    this.#count += 1;
    super.saw({ ...delivery, deliverySeq: this.#count }, server);
  }
}
class KeepsWhatItLetGo extends Doubt {
  override letGo(): void {}
}

const broken: Readonly<Record<string, Make>> = {
  'a redelivery is taken for something new': (...args) => new TakesAgainForNew(...args),
  'a server that was killed goes unnoticed': (standing, most) => new KnowsOneServer({ ...standing, server: '0' }, most),
  'it is trusted again too early': (standing) => new Doubt(standing, 0),
  'gaps in the count go unnoticed': (...args) => new SeesNoGaps(...args),
  'what was let go of goes unnoticed': (...args) => new KeepsWhatItLetGo(...args),
};

for (const [what, make] of Object.entries(broken))
  test(`something is overlooked when ${what}`, (t) => {
    const { failed, counterexample, numRuns } = fc.check(allFound(make), { seed: 1, numRuns: 100_000 });
    t.true(failed);
    t.log(`run ${numRuns}, in short: ${JSON.stringify(counterexample)}`);
  });
