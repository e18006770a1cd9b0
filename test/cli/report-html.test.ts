import { createHash } from 'node:crypto';
import test from 'ava';
import { reportOf } from '../../services/cli/report/html.ts';
import { html, shortened } from '../../services/cli/report/markup.ts';
import type { RunData } from '../../services/cli/report/run-data.ts';
import { speechless } from '../support/speechless.ts';
import { allFailed, emptyRun, madeRun, stoppedRun } from './support/made-run.ts';

const made: Readonly<Record<string, RunData>> = {
  'a whole run': madeRun(),
  'a run that has just begun': emptyRun(),
  'a run stopped early': stoppedRun(),
  'a run in which all failed': allFailed(),
};

/** Everything between "<" and ">" outside of the sheet: names of elements and attributes, and the values of these. */
const tagsOf = (page: string): string[] =>
  page.replace(/(<style>).*?(<\/style>)/s, '$1$2').match(/<[a-z!/][^>]*>/gi) ?? [];

for (const [name, data] of Object.entries(made)) {
  test(`the report of ${name} loads nothing and runs nothing`, (t) => {
    for (const tag of tagsOf(reportOf(data))) {
      t.notRegex(tag, /^<\/?(script|iframe|object|embed|link|img|form|base|a|foreignobject|use|image)\b/i, tag);
      t.notRegex(tag, /\s(on\w+|src|href|srcset|style|action|xlink:href)\s*=/i, tag);
      t.notRegex(tag, /https?:|\/\//, tag);
    }
  });

  test(`the report of ${name} has no number that is none`, (t) => {
    t.notRegex(reportOf(data).replace(/<style>.*?<\/style>/s, ''), /NaN|Infinity|undefined|\[object/);
  });

  test(`every element of the report of ${name} is closed in its order`, (t) => {
    const open: string[] = [];
    const empty = new Set(['meta', '!doctype']);
    for (const tag of tagsOf(reportOf(data))) {
      const [, slash, element = ''] = tag.match(/^<(\/?)([a-z!0-9]+)/i) ?? [];
      if (empty.has(element) || tag.endsWith('/>')) continue;
      if (slash === '/') t.is(open.pop(), element);
      else open.push(element);
    }
    t.deepEqual(open, []);
  });
}

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></pre><svg onload=alert(1)>',
  '<!--',
  ']]>',
  '`alert(1)`',
  '&lt;script&gt;',
  '\u202Egnp.exe',
  '\u0000<b>',
];

/** Every text that an agent, a family or a failure can bring into a run. */
function hostile(attack: string): RunData {
  const data = madeRun({ steps: 3 });
  const finding = { code: 'files/unknown', file: attack, line: 1, sentence: attack } as const;
  return {
    ...data,
    run: attack,
    record: { ...data.record, over: 'failed', failure: { code: 'edge/threw', detail: attack } },
    verdicts: data.verdicts.map((one) => ({
      ...one,
      ...{ family: attack, text: attack, findings: [finding], pod: one.pod && attack, baseModel: attack },
      ...{ spec: attack, group: attack },
      failure: one.outcome === 'failed' ? { code: 'pod/lost', detail: attack } : null,
    })),
    workspaces: Object.fromEntries(data.verdicts.map(({ episode }) => [episode, { [attack]: attack }])),
    transcripts: Object.fromEntries(
      Object.entries(data.transcripts).map(([episode, { moves, ...rest }], index) => [
        episode,
        {
          ...rest,
          mind: attack,
          moves: moves.map((move) => ({
            ...speechless,
            text: attack,
            thinking: attack,
            choices: [
              {
                point: attack,
                options: [
                  { name: attack, prior: 0, features: {} },
                  { name: `${attack}2`, prior: 0, features: {} },
                ],
                chosen: index % 2,
                logprob: -1,
              },
            ],
            calls: move.calls.map((call) => ({ ...call, input: { [attack]: attack }, result: attack })),
            findings: [finding],
            experiments: [
              { outcome: 'invalid', experiment: 1, findings: [finding] },
              {
                ...{ outcome: 'failed', experiment: 2, curve: [], seconds: 1 },
                failure: { code: 'job/environment', detail: attack },
              },
            ],
          })),
        },
      ]),
    ),
  };
}

const shapeOf = (page: string): string[] => tagsOf(page).map((tag) => tag.replace(/"[^"]*"/g, '""'));

for (const attack of attacks)
  test(`whatever an agent writes stays text: ${JSON.stringify(attack)}`, (t) => {
    const page = reportOf(hostile(attack));
    t.deepEqual(shapeOf(page), shapeOf(reportOf(hostile('harmless'))));
    t.notRegex(page, /\u202e|\0/);
    const [, body = ''] = page.split('</style>');
    if (/[<>"'`]/.test(attack)) t.false(body.includes(attack));
  });

test('the page forbids what it does not have: scripts, networks, and styles but its own', (t) => {
  const page = reportOf(madeRun());
  const [, policy = ''] = page.match(/Content-Security-Policy" content="([^"]*)"/) ?? [];
  const [, sheet = ''] = page.match(/<style>(.*?)<\/style>/s) ?? [];
  const hash = createHash('sha256').update(sheet).digest('base64');
  t.is(policy, `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
});

test('every axis of a whole run has a label, and marks say what they are where a pointer rests', (t) => {
  const page = reportOf(madeRun());
  const charts = page.match(/<svg.*?<\/svg>/gs) ?? [];
  t.true(charts.length > 30);
  for (const chart of charts.filter((one) => one.includes('class="axis"')))
    t.is(chart.match(/class="label"/g)?.length, 2, chart.slice(0, 200));
  for (const chart of charts) t.regex(chart, /role="img" aria-label="[^"]+"/);
  t.true((page.match(/<title>/g) ?? []).length > 500);
});

test('an episode shows what its agent tried, and how that went', (t) => {
  const data = madeRun({ steps: 3 });
  const step = { step: 0, reward: 0.1, loss: 0, entropy: 1, kl: 0, tokens: 9, seconds: 0.1 };
  const curve = [step, { ...step, step: 59, reward: 0.7 }];
  const tried = { outcome: 'trained', experiment: 1, curve, seconds: 4, score: 0.52, items: 50 } as const;
  const transcripts = Object.fromEntries(
    Object.entries(data.transcripts).map(([episode, { moves, ...rest }]) => [
      episode,
      { ...rest, moves: moves.map((move) => ({ ...move, experiments: [tried] })) },
    ]),
  );
  t.regex(reportOf({ ...data, transcripts }), /<h4>Experiments<\/h4>.*0\.52.*0\.10 → 0\.70/s);
  t.notRegex(reportOf(data), /<h4>Experiments/);
});

test('a text that is long says how much of it is left out', (t) => {
  t.is(shortened('abcdef', 4), 'abcd\n… and 2 characters more');
  t.is(shortened('abcd', 4), 'abcd');
});

test('only what html made is markup', (t) => {
  t.is(html`<p>${'<b>'}${html`<i>${1}</i>`}${['&', null]}</p>`.text, '<p>&lt;b&gt;<i>1</i>&amp;</p>');
});
