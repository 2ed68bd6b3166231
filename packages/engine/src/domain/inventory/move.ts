/**
 * Moves: units on their way from the centre to a quota, by id, so that doing one twice is doing it once. Until a move is
 * `applied` its units are in transit.
 */
import type { QuotaKey } from './quota.ts';

export interface Move {
  readonly id: string;
  readonly quota: QuotaKey;
  readonly units: number;
  /** The segment's epoch when the move was issued: another epoch's gate refuses it, its rebuild has absorbed it. */
  readonly epoch: number;
}
