/** Figures kept as they are told, for tests; and none at all. */
import type { Telemetry } from '../../ports/telemetry.ts';

export const noTelemetry: Telemetry = {
  turnedAway() {},
  batchJudged() {},
  groupSettled() {},
  settlementRested() {},
  settlementFailed() {},
  ordersChanged() {},
  walletAnswered() {},
  webhookAnswered() {},
};

export interface MemoryTelemetry extends Telemetry {
  /** By name, such as `gate sold_out` or `claims taken`. */
  readonly figures: ReadonlyMap<string, number>;
}

export function createMemoryTelemetry(): MemoryTelemetry {
  const figures = new Map<string, number>();
  const add = (name: string, count: number) => figures.set(name, (figures.get(name) ?? 0) + count);
  return {
    figures,
    turnedAway: (stage, reason) => void add(`${stage} ${reason}`, 1),
    batchJudged({ claims, taken, replayed }) {
      add('batches', 1);
      add('claims judged', claims);
      add('claims taken', taken);
      add('claims replayed', replayed);
    },
    groupSettled({ claims, refused }) {
      add('groups', 1);
      add('claims settled', claims - refused);
      add('claims refused', refused);
    },
    settlementRested: () => void add('rests', 1),
    settlementFailed: (code) => void add(`settlement ${code}`, 1),
    ordersChanged(states) {
      for (const state of states) add(`orders ${state}`, 1);
    },
    walletAnswered: (call, answer) => void add(`${call} ${answer}`, 1),
    webhookAnswered: (answer) => void add(`webhook ${answer}`, 1),
  };
}
