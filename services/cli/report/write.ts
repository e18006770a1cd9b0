import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reportOf } from './html.ts';
import type { RunData } from './run-data.ts';
import { type Summary, summary, summaryOf } from './summary.ts';

export interface Places {
  readonly report: string;
  readonly summary: string;
}

/** Where a run's report and summary lie. */
export const placesOf = (home: string, run: string): Places => {
  const folder = join(home, 'runs', run);
  return { report: join(folder, 'report.html'), summary: join(folder, 'summary.json') };
};

/** Writes both files atomically: a reader sees the old ones or the new ones, never a part. */
export function writeReport(data: RunData, places: Places): Summary {
  const told = summaryOf(data);
  put(places.summary, `${JSON.stringify(told, null, 2)}\n`);
  put(places.report, reportOf(data));
  return told;
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** The summary that was written last; undefined: there is none, or another version of Uplift wrote it. */
export function readSummary(file: string): Summary | undefined {
  try {
    return summary.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
