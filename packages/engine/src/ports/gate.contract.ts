/** What every gate promises: of claims, of units that come and go, and on any sequence of calls. */
import { afterEach, beforeEach, describe } from 'vitest';
import { gateClaimContract } from './gate-claim.contract.ts';
import { gateGroupsContract } from './gate-groups.contract.ts';
import { gateSequenceContract } from './gate-sequence.contract.ts';
import { gateStraysContract } from './gate-strays.contract.ts';
import { gateUnitsContract } from './gate-units.contract.ts';
import type { StoreSubject, StoreUnderTest } from './store-fixture.contract.ts';

export function gateContract(subject: StoreSubject): void {
  describe(`the ${subject.name} gate`, () => {
    let opened: StoreUnderTest;
    beforeEach(async () => {
      opened = await subject.open();
    });
    afterEach(() => opened.close());

    const store = (): StoreUnderTest => opened;
    gateClaimContract(store);
    gateUnitsContract(store);
    gateGroupsContract(store);
    gateStraysContract(store);
    gateSequenceContract(store);
  });
}
