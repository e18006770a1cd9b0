import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import { driver } from './driver.ts';
import { asSyntax, EnvironmentFault, fault, faultOf, file } from './fault.ts';
import { type Limits, mostCharacters, mostPrompts, stackBytes } from './limits.ts';

/**
 * An environment in an interpreter and a memory of its own, in this thread. All that a script computes is bounded by fuel
 * and memory; a single built-in on something endless is not, which is why `environment.ts` puts a cell in a thread
 * that can be ended. Nothing is ever freed: the interpreter, whatever its state, goes with its memory.
 */
export class Cell {
  readonly #vm: QuickJSContext;
  readonly #limits: Limits;
  readonly #driver: QuickJSHandle;
  /** Set for good when the interpreter itself gave way. */
  #broken: EnvironmentFault | undefined;
  #fuel = 0;
  #until = 0;

  constructor(vm: QuickJSContext, limits: Limits) {
    this.#vm = vm;
    this.#limits = limits;
    vm.runtime.setMaxStackSize(stackBytes);
    vm.runtime.setInterruptHandler(() => {
      this.#fuel -= 1;
      return this.#spent();
    });
    this.#refuel();
    this.#driver = vm.unwrapResult(vm.evalCode(driver(limits.promptLength), 'driver.js', { type: 'global' }));
  }

  /** Runs the script, whose functions are there from then on. */
  run(source: string): void {
    const bytes = Buffer.byteLength(source);
    if (bytes > this.#limits.sourceBytes)
      throw fault(
        'environment/too-large',
        `environment.js has ${bytes} bytes: it may have ${this.#limits.sourceBytes}`,
      );
    this.#guard(() => {
      const read = this.#vm.evalCode(source, file, { type: 'global', compileOnly: true });
      if (read.error) throw asSyntax(this.#thrown(read.error));
      const ran = this.#vm.evalCode(source, file, { type: 'global' });
      if (ran.error) throw this.#thrown(ran.error);
      this.#leftNothing();
    });
    for (const name of ['prompts', 'reward'])
      if (this.#typeOf(name) !== 'function')
        throw fault(
          'environment/missing-function',
          `${name} is ${this.#typeOf(name)}: environment.js must define function prompts(rng, n) and function reward(prompt, completion)`,
        );
  }

  prompts(seed: number, n: number): string[] {
    if (!Number.isInteger(n) || n < 1 || n > mostPrompts)
      throw fault('environment/too-large', `${n} prompts were asked for: ask for 1 to ${mostPrompts} at once`);
    return this.#call('prompts', [this.#vm.newNumber(seed), this.#vm.newNumber(n)]);
  }

  /** What each completion is worth: one call, and so one budget, for all of them. */
  rewards(prompts: readonly string[], completions: readonly string[]): number[] {
    if (prompts.length !== completions.length)
      throw new Error(`${prompts.length} prompts and ${completions.length} completions: give one completion for each`);
    const json = JSON.stringify({ prompts, completions });
    if (json.length > mostCharacters)
      throw fault(
        'environment/too-large',
        `${json.length} characters were given to reward: give at most ${mostCharacters}`,
      );
    return this.#call('rewards', [this.#vm.newString(json)]).map(Number);
  }

  #call(what: 'prompts' | 'rewards', given: QuickJSHandle[]): string[] {
    const answer = this.#guard(() => {
      const script = this.#evaluate(what === 'prompts' ? 'prompts' : 'reward');
      return this.#ask(what, [script, ...given]);
    });
    const [ok, ...values] = answer.split('\n');
    if (ok !== 'ok') throw faultOf(answer);
    return values;
  }

  #typeOf(name: string): string {
    return this.#guard(() => this.#vm.getString(this.#evaluate(`typeof ${name}`)));
  }

  #evaluate(code: string): QuickJSHandle {
    const result = this.#vm.evalCode(code, 'driver.js', { type: 'global' });
    if (result.error) throw this.#thrown(result.error);
    return result.value;
  }

  #ask(what: string, given: QuickJSHandle[]): string {
    const result = this.#vm.callFunction(this.#vm.getProp(this.#driver, what), this.#vm.undefined, ...given);
    if (result.error)
      throw this.#spent()
        ? this.#overran()
        : fault('environment/memory', 'out of memory; make smaller strings and arrays');
    this.#leftNothing();
    return this.#vm.getString(result.value);
  }

  #leftNothing(): void {
    if (this.#vm.runtime.hasPendingJob())
      throw fault('environment/left-work', 'a Promise was left to run later: write it without async, await and then');
  }

  /** Every entry to the interpreter: a fresh budget, and what breaks the interpreter breaks it for good. */
  #guard<T>(act: () => T): T {
    if (this.#broken) throw this.#broken;
    this.#refuel();
    try {
      return act();
    } catch (error) {
      if (error instanceof EnvironmentFault) throw error;
      this.#broken = broke(error);
      throw this.#broken;
    }
  }

  /** What the script threw, described within a budget of its own. */
  #thrown(error: QuickJSHandle): EnvironmentFault {
    if (this.#spent()) return this.#overran();
    this.#refuel();
    return faultOf(this.#ask('threw', [error]));
  }

  #refuel(): void {
    this.#fuel = this.#limits.fuel;
    this.#until = performance.now() + this.#limits.milliseconds;
  }

  #spent(): boolean {
    return this.#fuel < 0 || performance.now() > this.#until;
  }

  #overran(): EnvironmentFault {
    const { fuel, milliseconds } = this.#limits;
    return fault(
      'environment/time',
      this.#fuel < 0
        ? `it was still running after ${fuel} times 10,000 loop turns and calls: look for an endless loop, or do less`
        : `it was still running after ${milliseconds} ms: look for an endless loop, or do less`,
    );
  }
}

const broke = (error: unknown): EnvironmentFault =>
  error instanceof RangeError
    ? fault('environment/stack', 'its calls or brackets were nested too deeply; use a loop instead of recursion')
    : fault(
        'environment/memory',
        `the interpreter gave way (${String(error).slice(0, 120)}); make smaller strings and arrays`,
      );

// TypeScript declares WebAssembly only together with all of the browser's
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => NonNullable<Parameters<typeof newVariant>[1]['wasmModule']>;
    Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer; grow(pages: number): number };
  };
};

/** Compiled once in a thread, which is most of what it takes to open a cell; what one cell has warmed up is warm for the next. */
const { resolve } = createRequire(import.meta.resolve('quickjs-emscripten'));
const wasmModule = new WebAssembly.Module(readFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')));

/** An empty interpreter with a memory of its own, as large as it may become. */
export async function openCell(limits: Limits): Promise<Cell> {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: Math.ceil(limits.memoryBytes / 2 ** 16) });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmModule, wasmMemory }));
  // without Date; the driver puts one there that says why
  return new Cell(quickjs.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } }), limits);
}
