import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The folder of the repository, also when this file is in `dist/`: dashboards and compose files are not copied there.
 */
export const root = existsSync(join(here, 'grafana', 'dashboards')) ? here : join(here, '..');
