/** `npm run grafana`: writes the dashboards that the boards describe. */
import { writeFileSync } from 'node:fs';
import { fileOf, files } from './boards.ts';

for (const [name, text] of files()) writeFileSync(fileOf(name), text);
