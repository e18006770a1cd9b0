import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  type Panel as Built,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as text from '@grafana/grafana-foundation-sdk/text';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

/** As Grafana names them; base units, as the metrics have them. */
type Unit = 'none' | 'percentunit' | 's' | 'bytes' | 'currencyUSD' | 'ops' | 'short';
type Color = 'green' | 'yellow' | 'red' | 'blue';

/** The value from which a colour applies; null: from the lowest. */
type Limit = readonly [from: number | null, color: Color];

export interface Panel {
  /** `lines` over time, `number` the last value large, `bars` a bar for each series, `heat` a histogram over time. */
  readonly kind: 'lines' | 'stack' | 'number' | 'bars' | 'heat';
  readonly title: string;
  /** What it shows, and what good and bad values look like. */
  readonly says: string;
  readonly unit: Unit;
  /** Query and the name of its series. */
  readonly shows: readonly (readonly [expr: string, legend: string])[];
  readonly limits?: readonly Limit[];
  readonly max?: number;
  /** Of the 24 columns. */
  readonly width?: number;
}

export const datasource = { type: 'prometheus', uid: '$datasource' } as const;
const refIds = 'ABCDEFGHIJ';

const queriesOf = ({ kind, shows }: Panel): DataqueryBuilder[] =>
  shows.map(([expr, legend], at) => {
    const query = new DataqueryBuilder()
      .refId(refIds[at] ?? '')
      .expr(expr)
      .legendFormat(legend)
      .datasource(datasource);
    if (kind === 'heat') return query.range().format(PromQueryFormat.Heatmap);
    return kind === 'bars' ? query.instant() : query.range();
  });

const thresholdsOf = ({ limits = [[null, 'green']] }: Panel) =>
  new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(limits.map(([value, color]) => ({ value, color })));

/** Methods that all panel builders have, though no common type says so. */
interface Common<B> {
  title(title: string): B;
  description(text: string): B;
  unit(unit: string): B;
  span(columns: number): B;
  height(rows: number): B;
  datasource(ref: common.DataSourceRef): B;
  targets(queries: DataqueryBuilder[]): B;
  thresholds(limits: ThresholdsConfigBuilder): B;
  min(least: number): B;
  max(most: number): B;
}

function withCommon<B extends Common<B>>(builder: B, panel: Panel, size: { width: number; height: number }): B {
  const { title, says, unit, max, width = size.width } = panel;
  const built = builder
    .title(title)
    .description(says)
    .unit(unit)
    .span(width)
    .height(size.height)
    .datasource(datasource)
    .targets(queriesOf(panel))
    .thresholds(thresholdsOf(panel));
  return max === undefined ? built : built.min(0).max(max);
}

function linesOf(panel: Panel): Builder<Built> {
  const lines = withCommon(new timeseries.PanelBuilder(), panel, { width: 8, height: 8 })
    .legend(new common.VizLegendOptionsBuilder().displayMode(common.LegendDisplayMode.List).showLegend(true))
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi))
    .lineWidth(2)
    .fillOpacity(panel.kind === 'stack' ? 40 : 8)
    .spanNulls(60_000);
  if (panel.kind === 'stack') lines.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal));
  if (!panel.limits) return lines;
  return lines.thresholdsStyle(
    new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed),
  );
}

const last = new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']);

const builders: Readonly<Record<Panel['kind'], (panel: Panel) => Builder<Built>>> = {
  lines: linesOf,
  stack: linesOf,
  number: (panel) =>
    withCommon(new stat.PanelBuilder(), panel, { width: 4, height: 4 })
      .reduceOptions(last)
      .colorMode(common.BigValueColorMode.Value)
      .graphMode(common.BigValueGraphMode.Area),
  bars: (panel) =>
    withCommon(new bargauge.PanelBuilder(), panel, { width: 8, height: 8 })
      .reduceOptions(last)
      .orientation(common.VizOrientation.Horizontal)
      .displayMode(common.BarGaugeDisplayMode.Basic),
  heat: (panel) => withCommon(new heatmap.PanelBuilder(), panel, { width: 8, height: 8 }).calculate(false),
};

export const panelOf = (panel: Panel): Builder<Built> => builders[panel.kind](panel);

export const textPanel = (content: string): Builder<Built> =>
  new text.PanelBuilder().title('How to read this').mode(text.TextMode.Markdown).content(content).span(24).height(5);
