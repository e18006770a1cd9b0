// One episode by hand: played on a stack of its own, and shown as it is played.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { transcript } from '#protocol/transcript';
import { verdict } from '#protocol/verdict';
import { moveLines } from '../../services/cli/transcript.ts';
import { root } from '../support/root.ts';
import { speechless } from '../support/speechless.ts';

const uplift = (home: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'bin', 'uplift.js'), ...args], {
    env: { ...process.env, UPLIFT_HOME: home },
  });

const played = z.object({
  run: z.string(),
  moves: transcript.shape.moves,
  verdict: verdict.body,
});

test('one episode is played to its verdict and shown move by move, and nothing is left running', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'uplift-episode-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const file = join(home, 'episode.json');
  const { stdout } = await uplift(home, 'episode', '--family', 'reverse', '--seed', '3', '--json', file);
  const { moves, verdict: ended } = played.parse(JSON.parse(await readFile(file, 'utf8')));
  t.is(ended.family, 'reverse');
  t.not(ended.outcome, 'failed');
  for (const [at, { text }] of moves.entries()) t.regex(stdout, new RegExp(`── move ${at + 1} ─+\n`), text);
  t.regex(stdout, new RegExp(`── ending ─+\n${ended.outcome} +reward ${ended.reward?.toFixed(2)}`));
  t.false((await readdir(home)).includes('lock'));
});

test('a long text is cut with the number of lines left out, or shown in full', (t) => {
  const text = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
  const move = { ...speechless, text: '', choices: [], findings: null, experiments: [] };
  const calls = [{ tool: 'write_file', input: { file: 'notes.md', text }, result: 'done' }];
  const short = moveLines({ ...move, calls }, 1, { full: false }).join('\n');
  t.regex(short, /line 11\n.*18 lines more \(--full shows all\)/);
  t.notRegex(short, /line 12/);
  t.regex(moveLines({ ...move, calls }, 1, { full: true }).join('\n'), /line 29/);
});
