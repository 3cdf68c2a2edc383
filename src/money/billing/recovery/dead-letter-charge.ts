import type { Settlement } from '../ledger/charging.ts';

/** A dead-letter charge: it cannot be booked although others can. The journal keeps it. */
export class DeadLetterCharge extends Error {
  override readonly name = 'DeadLetterCharge';
  readonly settlement: Settlement;

  constructor(settlement: Settlement, cause: unknown) {
    super(`the charge of request ${settlement.requestId} cannot be booked: ${String(cause)}`, { cause });
    this.settlement = settlement;
  }
}
