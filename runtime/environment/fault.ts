import type { Finding, FindingCode } from '#protocol/finding';

export const file = 'environment.js';

/** What is wrong with an environment. Thrown by everything that runs one. */
export class EnvironmentFault extends Error {
  readonly finding: Finding;

  constructor(found: Finding) {
    super(`${found.code}: ${found.sentence}`);
    this.finding = found;
  }
}

export const fault = (code: FindingCode, sentence: string, line: number | null = null): EnvironmentFault =>
  new EnvironmentFault({ code, file, line, sentence });

/** The first line of the script in a stack as QuickJS writes it. */
function lineIn(stack: string): number | null {
  const [, digits] = /environment\.js:(\d{1,7})/.exec(stack) ?? [];
  return Number(digits) || null;
}

/** What to do about it, for the codes whose sentence only says what happened. */
const remedies: Partial<Record<FindingCode, string>> = {
  'environment/syntax': 'environment.js is a plain script: no import, no export, no top-level await',
  'environment/memory': 'make fewer or smaller strings and arrays',
  'environment/stack': 'use a loop instead of recursion',
};

const nothingElse = 'only the language itself is there: no console, no modules, no files, no network';

/** From an answer of the driver that is not "ok": code, stack, sentence. */
export function faultOf(answer: string): EnvironmentFault {
  const [code, stack = '', ...sentence] = answer.split('\n');
  // written by the driver, from the same table; zod would take a thread longer to load than all the rest
  const known = code as FindingCode;
  const said = sentence.join(' ');
  const remedy = said.includes('is not defined') ? nothingElse : remedies[known];
  return fault(known, remedy ? `${said}; ${remedy}` : said, lineIn(stack));
}

/** An error met while a script was read, before any of it ran, unless it was too deep or too large to be read. */
export function asSyntax({ finding: { code, line, sentence } }: EnvironmentFault): EnvironmentFault {
  if (code !== 'environment/threw') return fault(code, sentence, line);
  return fault('environment/syntax', `${sentence}; ${remedies['environment/syntax']}`, line);
}
