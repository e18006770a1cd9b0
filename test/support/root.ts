import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project: tests run as built, in `dist/`, and papers, sources and servers do not lie there. */
export const root = process.cwd();

/** The file of a module, named without its ending, as whoever asks runs: the source, or what was built of it. */
export const moduleFile = (name: string, base: string): string =>
  fileURLToPath(new URL(`${name}${extname(base)}`, base));
