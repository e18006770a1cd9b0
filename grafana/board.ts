import {
  AnnotationQueryBuilder,
  // biome-ignore lint/suspicious/noDeprecatedImports: every Grafana reads this schema, and only the newest its successor
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { datasource, type Panel, panelOf, textPanel } from './panel.ts';

export interface Board {
  /** Also the name of its file, and its address in Grafana. */
  readonly uid: string;
  readonly title: string;
  /** Markdown at the top: how to read the dashboard. */
  readonly says: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

/** Events that may explain a curve, marked on every panel. */
const marks = [
  {
    name: 'policy versions',
    expr: 'max by (run) (changes(uplift_run_policy_version{run="$run"}[15s])) > 0',
    title: 'a new policy',
    color: 'blue',
  },
  {
    name: 'pods lost',
    expr: 'sum by (code) (increase(uplift_pool_pods_lost_total[15s])) > 0',
    title: 'a pod was lost: {{code}}',
    color: 'red',
  },
];

const annotationOf = ({ name, expr, title, color }: (typeof marks)[number]): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name(name)
    .datasource(datasource)
    .enable(true)
    .iconColor(color)
    .expr(expr)
    .step('15s')
    .titleFormat(title);

const runPicker = (): QueryVariableBuilder =>
  new QueryVariableBuilder('run')
    .label('run')
    .datasource(datasource)
    .query('label_values(uplift_run_steps_wanted, run)')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalDesc);

const others = (): DashboardLinkBuilder =>
  new DashboardLinkBuilder('the other dashboards')
    .type(DashboardLinkType.Dashboards)
    .tags(['uplift'])
    .asDropdown(false)
    .includeVars(true)
    .keepTime(true);

export function dashboardOf({ uid, title, says, rows }: Board): ReturnType<DashboardBuilder['build']> {
  const builder = new DashboardBuilder(`Uplift · ${title}`)
    .uid(`uplift-${uid}`)
    .tags(['uplift'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-1h', to: 'now' })
    .refresh('5s')
    .variables([new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'), runPicker()])
    .annotations(marks.map(annotationOf))
    .link(others())
    .withPanel(textPanel(says));
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panelOf(panel));
  }
  return builder.build();
}
