import type { Finding, FindingCode } from '#protocol/finding';
import { workspaceFiles } from '#protocol/workspace';

/** JSON may need six bytes for one. Anything longer is larger than a job may be, so it is not even parsed. */
const mostBytes = 6 * Object.values(workspaceFiles).reduce((sum, { bytes }) => sum + bytes, 0) + 4_096;

/** The files of a workspace, from bytes that anybody may have written; or a finding if there is no reading them. */
export function filesOf(blob: Uint8Array): ReadonlyMap<string, string> | Finding {
  if (blob.length > mostBytes)
    return whole('files/too-large', `the workspace has ${blob.length} bytes: at most ${mostBytes} can be a job`);
  const table = tableOf(blob);
  if (!table)
    return whole('files/unreadable', 'the workspace is not a JSON object of names and texts: write files only');
  return new Map(table);
}

const whole = (code: FindingCode, sentence: string): Finding => ({ code, file: 'workspace', line: null, sentence });

function tableOf(blob: Uint8Array): [string, string][] | undefined {
  try {
    const values: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(blob));
    if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
    const entries = Object.entries(values);
    return entries.every((one): one is [string, string] => typeof one[1] === 'string') ? entries : undefined;
  } catch {
    return undefined;
  }
}
