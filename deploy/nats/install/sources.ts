// Where this machine's apt gets Debian from, so that another suite comes from the same mirror and is checked
// with the same key. No host is named here. Both spellings are read: deb822 (*.sources) and one-line (*.list).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Source = { uris: string; suites: string[]; components: string[]; signedBy: string | undefined };

/** The text of a `.sources` file that offers `suite`, made from the sources in `<etc>/apt`. */
export async function sourcesOfSuite(suite: string, etc = '/etc'): Promise<string> {
  const ownRelease = await ownSuites(etc);
  const sources = (await machineSources(etc)).filter(
    ({ suites, components }) => components.includes('main') && suites.some((name) => ownRelease.has(name)),
  );
  if (sources.length === 0) {
    throw new Error(`no apt source in ${etc}/apt offers main of this machine's own release, so "${suite}" is unknown`);
  }
  return sources.map((source) => stanza(source, suite)).join('\n');
}

/** The names under which this machine's release may be listed; its -security and -updates are not it. */
async function ownSuites(etc: string): Promise<Set<string>> {
  const release = await readFile(join(etc, 'os-release'), 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME="?([\w-]+)/m.exec(release)?.[1] ?? 'stable';
  return new Set([codename, 'oldstable', 'stable', 'testing', 'unstable', 'sid']);
}

async function machineSources(etc: string): Promise<Source[]> {
  const folder = join(etc, 'apt', 'sources.list.d');
  const parts = await readdir(folder).catch((): string[] => []);
  const files = [join(etc, 'apt', 'sources.list'), ...parts.sort().map((part) => join(folder, part))];
  const sources = await Promise.all(files.map(readSources));
  return sources.flat();
}

async function readSources(file: string): Promise<Source[]> {
  const read = file.endsWith('.sources') ? readStanzas : file.endsWith('.list') ? readLines : undefined;
  if (read === undefined) return [];
  return read(await readFile(file, 'utf8').catch(() => ''));
}

function readStanzas(text: string): Source[] {
  const stanzas = text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/);
  return stanzas.map(fieldsOf).flatMap((fields) => {
    const usable = words(fields.get('types')).includes('deb') && fields.get('enabled')?.trim() !== 'no';
    const source: Source = {
      uris: fields.get('uris')?.trim() ?? '',
      suites: words(fields.get('suites')),
      components: words(fields.get('components')),
      signedBy: fields.get('signed-by')?.trim(),
    };
    return usable ? [source] : [];
  });
}

/** A value keeps its continuation lines as they are: Signed-By may hold a whole key. */
function fieldsOf(text: string): Map<string, string> {
  const fields = text.matchAll(/^([\w-]+):(.*(?:\n[ \t].*)*)/gm);
  return new Map([...fields].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}

function readLines(text: string): Source[] {
  const lines = text.matchAll(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#\n]+)/gm);
  return [...lines].map(([, options, uris = '', suite = '', components]) => ({
    uris,
    suites: [suite],
    components: words(components),
    signedBy: /\bsigned-by=(\S+)/.exec(options ?? '')?.[1],
  }));
}

function words(value = ''): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}

function stanza({ uris, signedBy }: Source, suite: string): string {
  const signed = signedBy === undefined ? '' : `Signed-By: ${signedBy}\n`;
  return `Types: deb\nURIs: ${uris}\nSuites: ${suite}\nComponents: main\n${signed}`;
}
