import test from 'ava';
import fc from 'fast-check';
import { check } from '../../services/evaluator/stages.ts';
import { blobOf, good, hostile, prompts, reversed } from './support/jobs.ts';
import { specOf } from './support/story.ts';

const known = specOf('reverse');
const chance = { seed: 1, signal: new AbortController().signal };
/** No loop of the script, and so no fuel: each call takes about a tenth of a second. */
const sort = "'x'.repeat(2e6).lastIndexOf('y');";
const half = 'return completion.length % 2 ? 0.5 : 0;';
const checked = (bytes: Uint8Array) => check(bytes, known, chance);

test.serial('an honest job has no finding, and the same bytes have the same verdict', async (t) => {
  const job = { runtime: 'micro', baseModel: 'micro-m', seconds: 30 } as const;
  t.deepEqual(await checked(blobOf(good)), { findings: [], job });
  t.deepEqual(await checked(blobOf(good)), { findings: [], job });
});

for (const [name, [bytes, code]] of Object.entries(hostile))
  test.serial(`${name} is a finding, and nothing worse`, async (t) => {
    const { findings, job } = await checked(bytes);
    t.is(job, null);
    t.true(
      findings.some((one) => one.code === code),
      `${code} is not among ${findings.map((one) => one.code).join()}`,
    );
    t.true(findings.length <= 20);
    for (const { sentence, file } of findings) t.true(sentence.length < 2_000 && file.length < 100, sentence);
    t.true(JSON.stringify(findings).length < 40_000);
  });

test.serial('no bytes make a check throw', async (t) => {
  const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom(...Object.values(good).map(String), reversed));
  const name = fc.oneof(fc.constantFrom(...Object.keys(good), '__proto__', 'notes.md'), fc.string());
  const blob = fc.oneof(fc.uint8Array(), fc.dictionary(name, text).map(blobOf));
  await fc.assert(
    fc.asyncProperty(blob, async (bytes) => (await checked(bytes)).findings.length > 0),
    { numRuns: 200 },
  );
  t.pass();
});

test.serial('a check that is told to stop does stop, and leaves nothing behind', async (t) => {
  await t.throwsAsync(check(blobOf(good), known, { seed: 1, signal: AbortSignal.abort(new Error('told')) }), {
    message: 'told',
  });
  t.deepEqual((await checked(blobOf(good))).findings, []);
});

test.serial(
  'a job whose every call is slow is found to be slow, and does not keep its check from ending',
  async (t) => {
    const slow = { ...good, 'environment.js': `${prompts}\nfunction reward(prompt, completion) { ${sort} ${half} }` };
    const { findings, job } = await check(blobOf(slow), known, { ...chance, trialMs: 500 });
    t.is(job, null);
    t.deepEqual(
      findings.map(({ code }) => code),
      ['environment/time'],
    );
    t.regex(findings[0]?.sentence ?? '', /more than 0\.5 s in all/);
  },
);

test.serial('a workspace that is no table of files is told as a whole', async (t) => {
  const { findings } = await checked(Buffer.from('null'));
  t.deepEqual(findings, [
    {
      code: 'files/unreadable',
      file: 'workspace',
      line: null,
      sentence: 'the workspace is not a JSON object of names and texts: write files only',
    },
  ]);
});
