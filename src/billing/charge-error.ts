import type { ErrorCase } from '../core/error-table.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';

/**
 * What a client is told instead of the end of an answer that is charged all the same: not all of its cost could be had, or
 * nobody could say in time whether it can.
 */
export class ChargeError extends GatewayError {
  /** What of its cost is not charged, as far as is known. */
  readonly uncharged: Nano;

  constructor(errorCase: ErrorCase, { detail, uncharged }: { readonly detail: string; readonly uncharged: Nano }) {
    super(errorCase, { detail });
    this.uncharged = uncharged;
  }
}
