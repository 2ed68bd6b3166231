/**
 * Places: where the units of a sale are. Law: every unit is in exactly one place, so the places sum to the total.
 */
import { PLACES, type PlaceName } from '@sluice/contract/codes';

export type { PlaceName };

export type Places = Readonly<Record<PlaceName, number>>;

export const NOWHERE: Places = {
  free: 0,
  available: 0,
  claimed: 0,
  inTransit: 0,
  held: 0,
  sold: 0,
  quarantined: 0,
};

export function sumOfPlaces(places: Places): number {
  return PLACES.reduce((sum, place) => sum + places[place], 0);
}
