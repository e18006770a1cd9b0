import { fileURLToPath } from 'node:url';
import { type Board, dashboardOf } from './board.ts';
import { explorer } from './explorer.ts';
import { learning } from './learning.ts';
import { pods } from './pods.ts';
import { route } from './route.ts';

const boards: readonly Board[] = [learning, pods, route, explorer];

export const fileOf = (name: string): string => fileURLToPath(new URL(`./dashboards/${name}`, import.meta.url));

/** The SDK hides links without a placement in a menu, where nobody would find them. */
const unlessHidden = (key: string, value: unknown): unknown =>
  key === 'placement' && value === 'inControlsMenu' ? undefined : value;

/** The files in `dashboards/`, by name. */
export const files = (): Map<string, string> =>
  new Map(boards.map((board) => [`${board.uid}.json`, `${JSON.stringify(dashboardOf(board), unlessHidden, 2)}\n`]));
