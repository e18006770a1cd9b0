// One glance at everything: a frame holds what matters, in whatever room there is, whatever it is told.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import { exactly } from '#protocol/pod';
import type { PodsShown } from '../../services/cli/pods.ts';
import type { Facts } from '../../services/cli/top/facts.ts';
import { frame, sparkline } from '../../services/cli/top/frame.ts';
import { moduleFile } from '../support/root.ts';
import { madeRun } from './support/made-run.ts';

const { record: ended } = madeRun({ steps: 8 });
const at = ended.startedAt + 100_000;
const record = { ...ended, phase: 'training' as const, endedAt: null, over: null };
const pod = (name: string): PodsShown['pods'][number] => ({
  ...{ pod: name, generation: 1, phase: 'leased' as const, since: at - 4_000, job: 'v1-s3-0', jobs: 7 },
  ...{ podSeconds: 100, usefulSeconds: 64, failure: null },
});
const podsOf = (...names: string[]): PodsShown => ({
  ...{ version: 1, wanted: 2, scale: { floor: 0, ceiling: 2, idleSeconds: 60 }, queued: 3, pods: names.map(pod) },
  ...{ podSeconds: 200, usefulSeconds: 106, most: 2 },
});
const mishap = { at: at - 9_000, what: 'e-17', code: 'pod/lost', detail: '3 pods were lost under job v1-s3-0' };
const facts: Facts = { at, run: { name: 'r-1', record }, pods: podsOf('p1', 'p2'), mishaps: [mishap] };
const colours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
const screen = { columns: 80, rows: 24, colour: false, now: at };

test('in 80 by 24: run, step, reward, pods, queue, money and what went wrong', (t) => {
  const shown = frame(facts, screen);
  for (const part of [
    /^r-1 {2}training {2}for 100 s/,
    /^step {6}█+░* 8 of \d+/m,
    /^reward {4}[▁▂▃▄▅▆▇█]{8} {2}first 0\.\d\d {2}last 0\.\d\d {2}best 0\.\d\d$/m,
    /^pods {6}2 wanted: 2 leased, 3 queued, at most 2 · 53 % useful$/m,
    /^ {2}p2 {3}leased {11}4\.0 s {4}7 jobs {3}64 % useful {2}v1-s3-0$/m,
    /^money {5}\$/m,
    /e-17 {2}pod\/lost {2}3 pods were lost/,
  ])
    t.regex(shown, part);
});

test('without a run, without a pool, and when nobody answers, it says so', (t) => {
  const none = { at, run: null, pods: null, mishaps: [] };
  for (const part of [/no run yet; "npm start"/, /the pool has reported nothing yet/, /nothing has gone wrong/])
    t.regex(frame(none, screen), part);
  t.regex(frame(none, { ...screen, now: at + 12_000 }), /^no answer for 12 s/);
});

test('many pods leave room for what went wrong', (t) => {
  const pods = podsOf(...Array.from({ length: 16 }, (_, n) => `p${n + 1}`));
  const shown = frame({ ...facts, pods }, screen);
  t.regex(shown, /and \d+ more/);
  t.regex(shown, /pod\/lost/);
});

test('rewards are drawn from 0 to 1, and more than have room as means of several', (t) => {
  t.is(sparkline([0, 0.2, 0.5, 0.99, 1], 10), '▁▂▅██');
  t.is(sparkline([0, 0, 1, 1, 0.5], 3), '▁█▅');
});

test('never more lines nor columns than there are, whatever is told', (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J\u001b[31m', 'a\nb\r\tc', '漢字', '👩‍🚀'),
  );
  const number = fc.oneof(fc.double(), fc.integer());
  const told = fc.record({
    at: number,
    run: fc.option(
      fc.record({
        name: text,
        record: fc.record({ outcomes: fc.record({ scored: number, invalid: number, failed: number }) }).map((more) => ({
          ...record,
          ...more,
        })),
      }),
    ),
    pods: fc.option(
      fc
        .record({ wanted: number, queued: number, names: fc.array(text, { maxLength: 20 }) })
        .map(({ names, ...more }) => ({
          ...podsOf(...names),
          ...more,
          scale: exactly(2),
        })),
    ),
    mishaps: fc.array(fc.record({ at: number, what: text, code: text, detail: text }), { maxLength: 30 }),
  });
  const size = fc.record({ columns: fc.nat(120), rows: fc.nat(40), colour: fc.boolean(), now: number });
  fc.assert(
    fc.property(told, size, (seen, room) => {
      const lines = frame(seen as Facts, room)
        .replaceAll(colours, '')
        .split('\n');
      if (lines.length > Math.max(1, room.rows)) throw new Error(`${lines.length} lines`);
      for (const line of lines) {
        if (line.length > room.columns) throw new Error(`${line.length} columns`);
        if (!/^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u00ff–—…·→▁-█░]*$/.test(line)) throw new Error(JSON.stringify(line));
      }
    }),
  );
  t.pass();
});

test('the terminal is as it was before, also after an error that nobody caught', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'uplift-top-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'terminal');
  const terminal = openSync(file, 'w');
  const page = pathToFileURL(moduleFile('../../services/cli/top/screen', import.meta.url)).href;
  const program = `const { Page } = await import(${JSON.stringify(page)}); new Page(3).draw('a\\nb'); throw new Error('x');`;
  const args = ['--input-type=module', '-e', program];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', terminal] });
  closeSync(terminal);
  t.is(status, 1);
  const [enter, draw, leave] = [
    '\u001b[?1049h\u001b[?25l',
    '\u001b[Ha\u001b[K\r\nb\u001b[K\u001b[J',
    '\u001b[?25h\u001b[?1049l',
  ];
  t.is(readFileSync(file, 'utf8'), `${enter}${draw}${leave}`);
});
