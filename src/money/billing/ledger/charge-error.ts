import type { ErrorCase } from 'chat-formats/error-table.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../../core/money.ts';

/**
 * The error that replaces the end of an answer, although the answer is charged. Either its cost could not be charged in
 * full, or the store did not confirm the charge in time.
 */
export class ChargeError extends GatewayError {
  /** The part of the cost that is not charged, as far as it is known. */
  readonly uncharged: Nano;

  constructor(errorCase: ErrorCase, { detail, uncharged }: { readonly detail: string; readonly uncharged: Nano }) {
    super(errorCase, { detail });
    this.uncharged = uncharged;
  }
}
