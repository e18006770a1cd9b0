/** Writes into ARCHITECTURE.md what the code says of itself; `npm run papers` rewrites it, a test holds it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { episodeLife } from '#protocol/episode';
import { experimentLife } from '#protocol/experiment';
import { failureCodes } from '#protocol/failure';
import { diagram } from '#protocol/life';
import { podLife } from '#protocol/pod';
import { services, traits } from '#protocol/roles';
import { route } from '#protocol/route';
import { runLife } from '#protocol/run';
import { grantsOf, localSubject, roles } from '../../deploy/nats/roles.ts';
import { root } from './root.ts';

const file = join(root, 'ARCHITECTURE.md');

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

function routeTable(): string {
  const rows = route.map(({ name, kind, from, to }) =>
    row(
      from.join(', '),
      code(name),
      kind,
      Object.entries(to)
        .map(([service, at]) => `${service} ${code(at)}`)
        .join(', '),
    ),
  );
  return [
    row('from', 'message', 'kind', 'to, and which instance of it'),
    row('---', '---', '---', '---'),
    ...rows,
  ].join('\n');
}

function rolesTable(): string {
  const rows = roles.map((role) => {
    const service = services.find((one) => one === role);
    const { home, single } = service ? traits[service] : { home: '–', single: false };
    const sends = route.filter(({ from }) => from.includes(role)).map(({ name }) => code(name));
    return row(
      role,
      home,
      single ? 'one, by lease' : service ? 'any number' : '–',
      sends.join(' ') || '–',
      grantsOf(role).length,
    );
  });
  return [
    row('role', 'its store is in', 'active at once', 'may send', 'subjects in all'),
    row('---', '---', '---', '---', '---'),
    ...rows,
  ].join('\n');
}

/** The row of one role whole, as an example of all. */
function grantsTable(): string {
  const rows = grantsOf('agent').map((grant) => row(grant.account, code(localSubject(grant)), grant.why));
  return [row('account', 'subject', 'why'), row('---', '---', '---'), ...rows].join('\n');
}

function failuresTable(): string {
  const rows = Object.entries(failureCodes).map(([name, { retryable, says }]) =>
    row(code(name), retryable ? 'yes' : 'no', says),
  );
  return [row('code', 'retryable', 'meaning'), row('---', '---', '---'), ...rows].join('\n');
}

const blocks: Record<string, string> = {
  route: routeTable(),
  roles: rolesTable(),
  agent: grantsTable(),
  failures: failuresTable(),
  lives: [
    `The life of a run:\n\n\`\`\`mermaid\n${diagram(runLife)}\n\`\`\``,
    `Of an episode:\n\n\`\`\`mermaid\n${diagram(episodeLife)}\n\`\`\``,
    `Of an experiment:\n\n\`\`\`mermaid\n${diagram(experimentLife)}\n\`\`\``,
    `Of a pod:\n\n\`\`\`mermaid\n${diagram(podLife)}\n\`\`\``,
  ].join('\n\n'),
};

/** The document as it is, and as it should be. */
export function papers(): { is: string; should: string } {
  const is = readFileSync(file, 'utf8');
  const should = is.replace(/<!-- (\w+) -->\n[\s\S]*?<!-- end -->/g, (whole, name: string) =>
    blocks[name] === undefined ? whole : `<!-- ${name} -->\n${blocks[name]}\n<!-- end -->`,
  );
  return { is, should };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, papers().should);
