import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('../../', import.meta.url));

/** Where everything lies that is not built: dashboards and compose files are read as they are. */
export const root = existsSync(join(here, 'grafana', 'dashboards')) ? here : join(here, '..');
