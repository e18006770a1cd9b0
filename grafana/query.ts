type Query = readonly [expr: string, legend: string];

/** A gauge of the selected run; all processes of an actor show the same value. */
export const ofRun = (name: string, by = ''): string =>
  by === '' ? `max(uplift_${name}{run="$run"})` : `max by (${by}) (uplift_${name}{run="$run"})`;

const window = '[$__rate_interval]';

export const rate = (name: string, by = ''): string =>
  by === '' ? `sum(rate(uplift_${name}${window}))` : `sum by (${by}) (rate(uplift_${name}${window}))`;

/** The increase of a counter over the selected time. */
export const total = (name: string, by = ''): string =>
  by === '' ? `sum(increase(uplift_${name}[$__range]))` : `sum by (${by}) (increase(uplift_${name}[$__range]))`;

const quantile = (share: number, name: string, by: string): string =>
  `histogram_quantile(${share}, ${rate(`${name}_bucket`, by === '' ? 'le' : `le, ${by}`)})`;

/** Median and 99th percentile. */
export const spread = (name: string, by = ''): readonly Query[] =>
  [0.5, 0.99].map((share) => [quantile(share, name, by), `${by === '' ? '' : legendOf(by)}p${share * 100}`]);

const legendOf = (by: string): string =>
  `${by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' → ')} `;

/** The mean of a histogram over the selected time. */
export const mean = (name: string, by = ''): string => `${total(`${name}_sum`, by)} / ${total(`${name}_count`, by)}`;

export const buckets = (name: string): Query => [
  `sum by (le) (increase(uplift_${name}_bucket[$__rate_interval]))`,
  '{{le}}',
];
