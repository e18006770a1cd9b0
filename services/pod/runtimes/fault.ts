import type { Failure } from '#protocol/failure';
import { EnvironmentFault } from '#runtime/environment/fault';
import { Diverged } from '#runtime/micro/diverged';

/** A training took longer than its limit. */
export class Overran extends Error {}

/** What a job did wrong; null: the error is not the job's fault. */
export function faultOf(error: unknown): Failure | null {
  if (error instanceof EnvironmentFault) return { code: 'job/environment', detail: sentenceOf(error) };
  if (error instanceof Diverged) return { code: 'job/diverged', detail: error.message };
  if (error instanceof Overran) return { code: 'job/overran', detail: error.message };
  return null;
}

function sentenceOf({ finding: { file, line, sentence } }: EnvironmentFault): string {
  return line === null ? `${file}: ${sentence}` : `${file}:${line}: ${sentence}`;
}
