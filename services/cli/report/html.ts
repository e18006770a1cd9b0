import { createHash } from 'node:crypto';
import { version } from '#protocol/version';
import { duration } from './figures.ts';
import { html, Markup } from './markup.ts';
import { type RunData, wallSecondsOf } from './run-data.ts';
import { choices } from './section/choices.ts';
import { episodes } from './section/episodes.ts';
import { glance, resultOf } from './section/glance.ts';
import { learning } from './section/learning.ts';
import { outcomes } from './section/outcomes.ts';
import { families, heldOut } from './section/transfer.ts';
import { cost, pace, podUse } from './section/work.ts';
import { style } from './style.ts';

/**
 * The page is one file, and what agents wrote is escaped text in it (`markup.ts`). Even if that failed, its policy lets
 * nothing run, load or be sent, and no style apply except the sheet with this hash.
 */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The report of a run, as an HTML page. */
export function reportOf(data: RunData): string {
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Uplift: run ${data.run}</title><style>${new Markup(style)}</style></head>
<body><main><header><h1>Uplift · run <strong>${data.run}</strong></h1><p class="result">${resultOf(data)}</p><p class="meta">${metaOf(data)}</p></header>
${glance(data)}
${learning(data)}
${heldOut(data)}
${families(data)}
${choices(data)}
${podUse(data)}
${pace(data)}
${cost(data)}
${outcomes(data)}
${episodes(data)}
</main></body></html>
`;
  return text;
}

function metaOf(data: RunData): string {
  const { record } = data;
  const { config } = record;
  return [
    `${new Date(record.startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `${duration(wallSecondsOf(data))}`,
    `seed ${config.seed}`,
    `mind ${config.mind}`,
    `trainer ${config.trainer}`,
    `formula ${config.formula}`,
    `Uplift ${version}`,
  ].join(' · ');
}
