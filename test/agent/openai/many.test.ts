// Many conversations at once in one process, with an endpoint that takes its time.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { collectProcessMetrics, exposition } from '#kit/metrics';
import { afresh, at, call, play, saying } from './play.ts';

const episodes = 200;
const moves = 3;
const answerMs = 400;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
function heapBytes(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

/** As the metric of the agent's process shows it, seconds. */
async function lagP99(): Promise<number> {
  const { text } = await exposition();
  return Number(/^uplift_nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}

test.serial(
  '200 conversations in one process wait side by side, hold little memory, and never stop the process',
  async (t) => {
    t.timeout(120_000);
    afresh({ answerSeconds: 60 });
    collectProcessMetrics();
    const files = ['a.js', 'b.js'].map((file) => call('write_file', { file, text: `${file} `.repeat(500) }));
    const server = await saying(t, [{ calls: files }, { calls: [call('read_file', { file: 'a.js' })] }], {
      mishap: () => ({ firstTokenMs: answerMs }),
    });
    // 1. everything that is made once, and what the server itself keeps
    const firsts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => play(at(server, { episode: `r0.e${n}` }), moves)),
    );
    t.is(firsts.length, 20);
    await sleep(50);
    await lagP99(); // it is measured from one scrape to the next
    const before = heapBytes();
    const began = performance.now();
    const played = await Promise.all(
      Array.from({ length: episodes }, (_, n) => play(at(server, { episode: `r1.e${n}` }), moves)),
    );
    const seconds = (performance.now() - began) / 1_000;
    const lag = await lagP99();
    const grown = heapBytes() - before;
    const kept = JSON.stringify(played).length + JSON.stringify(server.requests).length;
    t.log(
      `${seconds.toFixed(1)} s, p99 of the lag ${(lag * 1_000).toFixed(0)} ms, heap +${(grown / 2 ** 20).toFixed(1)} MiB, results ${(kept / 2 ** 20).toFixed(1)} MiB`,
    );
    t.true(played.every((one) => one.moves.length === moves));
    t.true(server.atOnce() > episodes / 2, `${server.atOnce()} at once`);
    // 2. one after another they would take this long; side by side a small part of it
    const apart = (episodes * moves * answerMs) / 1_000;
    t.true(seconds < apart / 8, `${seconds} s, and ${apart} s one after another`);
    // 3. what is held is what they and the server return, and not much more
    t.true(grown < 2 * kept + 16 * 2 ** 20, `${grown} bytes for results of ${kept}`);
    // 4. the process goes on all the time: it is never away for a large part of it
    t.true(lag > 0 && lag < seconds / 3, `${lag} s of ${seconds} s`);
  },
);
