import { expect, test } from 'vitest';
import { FIGURES } from './figures.ts';
import { createPrometheusTelemetry } from './prometheus.ts';

test('figures are written as Prometheus reads them', () => {
  const telemetry = createPrometheusTelemetry();
  telemetry.turnedAway('gate', 'sold_out');
  telemetry.turnedAway('gate', 'sold_out');
  telemetry.turnedAway('address_limit', 'rate_limited');
  telemetry.batchJudged({ claims: 3, taken: 1, replayed: 1 });
  telemetry.groupSettled({ claims: 600, refused: 100, durationMs: 4 });
  telemetry.settlementFailed('storage_full');
  telemetry.ordersChanged(['pending', 'pending', 'expired']);
  const text = telemetry.write([
    { figure: FIGURES.queueClaims, samples: [{ value: 7 }] },
    { figure: FIGURES.limiterKeys, samples: [{ labels: { limit: 'address' }, value: 2 }] },
  ]);
  const lines = text.split('\n');
  for (const line of [
    'sluice_turned_away_total{stage="gate",reason="sold_out"} 2',
    'sluice_turned_away_total{stage="address_limit",reason="rate_limited"} 1',
    'sluice_claims_total{outcome="claimed"} 1',
    'sluice_claims_total{outcome="replayed"} 1',
    'sluice_claims_total{outcome="refused"} 1',
    'sluice_gate_batch_claims_bucket{le="2"} 0',
    'sluice_gate_batch_claims_bucket{le="4"} 1',
    'sluice_settlement_group_claims_bucket{le="512"} 0',
    'sluice_settlement_group_claims_bucket{le="+Inf"} 1',
    'sluice_settlement_group_claims_sum 600',
    'sluice_settlement_duration_seconds_bucket{le="0.005"} 1',
    'sluice_settlement_duration_seconds_count 1',
    'sluice_settlements_total{outcome="settled"} 500',
    'sluice_settlement_failures_total{code="storage_full"} 1',
    'sluice_orders_total{state="pending"} 2',
    'sluice_queue_claims 7',
    'sluice_limiter_keys{limit="address"} 2',
  ]) {
    expect(lines).toContain(line);
  }
  expect(text.endsWith('\n')).toBe(true);
  const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(new Set(names).size).toBe(names.length);
  for (const line of lines.filter((each) => each !== '')) {
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[\d.e+-]+)$/);
  }
});
