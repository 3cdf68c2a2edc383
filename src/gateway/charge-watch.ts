import { refusalStanding } from '../billing/told-refusals.ts';
import type { Clock } from '../core/clock.ts';
import type { AlertStateWriter } from '../outbox/alert-state-writer.ts';

/** What cannot be booked, of whom, and why. */
export interface RefusedSum {
  readonly requestId: string;
  readonly accountId: string;
  /** As decimal text, or as it stands where nobody can read it. */
  readonly cost: string;
  readonly error: string;
}

interface ChargeWatchParts {
  readonly clock: Clock;
  readonly standings: Pick<AlertStateWriter, 'see'>;
}

/** What a database says may repeat all that it was asked. */
const errorMax = 300;

/**
 * Tells operators that charges of an account cannot be booked: the first of a day, whichever process meets it. What
 * refuses one mostly refuses more, and every start meets those of the last one again.
 */
export function chargeWatch({ clock, standings }: ChargeWatchParts): { refused(sum: RefusedSum): void } {
  return {
    refused({ requestId, accountId, cost, error }) {
      const at = clock.now();
      const data = { request_id: requestId, account_id: accountId, cost, error: error.slice(0, errorMax) };
      standings.see({
        ...refusalStanding(accountId, at),
        // Of no account: its owners can do nothing about it.
        notice: () => ({ kind: 'charge.refused', accountId: undefined, at, data }),
      });
    },
  };
}
