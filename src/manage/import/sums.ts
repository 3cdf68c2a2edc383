import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../core/money.ts';

/** An amount in the source, the part that was left out, and what the ledger has for the rest. */
export interface ImportSum {
  readonly source: Nano;
  readonly leftOut: Nano;
  readonly booked: Nano;
}

/** Throws if an amount was lost or doubled. The transaction of the import is rolled back then. */
export function assertSum(name: string, { source, leftOut, booked }: ImportSum): void {
  assert(source - leftOut === booked, `the ${name} of the source without those left out equal the booked ${name}`);
}
