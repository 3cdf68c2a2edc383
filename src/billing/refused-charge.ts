import type { Settlement } from './charging.ts';

/** A charge that cannot be booked although others can. It is not lost: the journal has it. */
export class RefusedCharge extends Error {
  override readonly name = 'RefusedCharge';
  readonly settlement: Settlement;

  constructor(settlement: Settlement, cause: unknown) {
    super(`the charge of request ${settlement.requestId} cannot be booked: ${String(cause)}`, { cause });
    this.settlement = settlement;
  }
}
