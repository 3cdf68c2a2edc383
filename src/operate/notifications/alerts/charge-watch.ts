import { refusalAlertState } from '../../../money/billing/recovery/reported-refusals.ts';
import type { WatchParts } from './alert-state-writer.ts';

export interface UnbookedCharge {
  readonly requestId: string;
  readonly accountId: string;
  /** As decimal text, or unchanged if it is not a number. */
  readonly cost: string;
  readonly error: string;
}

/** A database error may repeat the whole statement; it is cut to this many characters. */
const errorMax = 300;

/**
 * Alerts operators that charges of an account cannot be booked: once a day per account, whichever process sees the
 * first. A cause that rejects one charge usually rejects more, and each start retries the charges of the last.
 */
export function chargeWatch({ clock, alertStates }: Omit<WatchParts, 'store'>) {
  return {
    refused: ({ requestId, accountId, cost, error }: UnbookedCharge): void => {
      const at = clock.now();
      const data = { request_id: requestId, account_id: accountId, cost, error: error.slice(0, errorMax) };
      alertStates.observe({
        ...refusalAlertState(accountId, at),
        // Without an account id: account owners cannot fix it.
        event: () => ({ kind: 'charge.refused', accountId: undefined, at, data }),
      });
    },
  };
}
