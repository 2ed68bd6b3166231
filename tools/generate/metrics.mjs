import { FIGURES } from '../../packages/engine/src/adapters/system/figures.ts';
import { code, page, table } from './markdown.mjs';

const INTRO = `What \`GET /metrics\` tells Prometheus (text format 0.0.4), where operators are served. On a port that buyers share it asks for the
admin key; on a port of the operators' own it does not, so let only your monitoring reach that. Labels come from closed lists.
What to watch on the night: [the guide](../guides/operate-a-sale-night.md).`;

export function metricsPage() {
  const rows = Object.values(FIGURES).map(({ name, kind, labels, unit, help, buckets }) => [
    ...[code(name), kind, labels.map(code).join(', ') || '-', unit],
    buckets ? `${help} Buckets up to ${buckets.join(', ')}.` : help,
  ]);
  return page('Metrics', INTRO, table(['name', 'type', 'labels', 'unit', 'meaning'], rows));
}
