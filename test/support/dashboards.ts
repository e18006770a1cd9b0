/** What the committed dashboards ask Prometheus for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from './root.ts';

const folder = join(root, 'grafana', 'dashboards');

const panel = z.looseObject({
  type: z.string(),
  title: z.string(),
  description: z.string().optional(),
  targets: z.array(z.looseObject({ expr: z.string() })).default([]),
});
const dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  panels: z.array(panel),
  templating: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), query: z.string() })) }),
  annotations: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), expr: z.string() })) }),
});

export const dashboardFiles = (): string[] => readdirSync(folder).sort();
export const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
export const dashboards = () => dashboardFiles().map((file) => dashboard.parse(JSON.parse(textOf(file))));

export interface Query {
  /** Dashboard and panel. */
  readonly of: string;
  readonly expr: string;
}

/** Of panels, annotations and pickers. */
export const queries = (): Query[] =>
  dashboards().flatMap(({ title, panels, annotations, templating }) => [
    ...panels.flatMap((one) => one.targets.map(({ expr }) => ({ of: `${title} / ${one.title}`, expr }))),
    ...annotations.list.map(({ name, expr }) => ({ of: `${title} / ${name}`, expr })),
    ...templating.list.flatMap(({ name, query }) => {
      const [, expr] = /^label_values\((.*), \w+\)$/.exec(query) ?? [];
      return expr === undefined ? [] : [{ of: `${title} / $${name}`, expr }];
    }),
  ]);

export const metricsIn = (text: string): Set<string> => new Set(text.match(/\buplift_\w+/g) ?? []);
