import type { Store } from '../../../platform/store/store.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** A charge that could not be booked, as reported to operators. */
export interface ReportedRefusal {
  readonly at: number;
  readonly requestId: string;
  readonly accountId: string;
  readonly cost: string;
  readonly error: string;
  /** Whether it has been booked since. */
  readonly isBooked: boolean;
}

const alertSubject = (accountId: string): string => `charges ${accountId}`;
const dayLength = 'yyyy-mm-dd'.length;

/** The alert state of an account with charges that cannot be booked, one state for each day. */
export function refusalAlertState(accountId: string, at: number) {
  return {
    subject: alertSubject(accountId),
    state: `refused ${new Date(at).toISOString().slice(0, dayLength)}`,
    initial: 'booked',
  };
}

/** The last reports to operators, newest first. Searches the outbox only if an account has such an alert state. */
export async function reportedRefusals({ db }: Store, max: number): Promise<readonly ReportedRefusal[]> {
  const states = await db
    .selectFrom('alert_states')
    .select('state')
    .where('subject', 'like', alertSubject('%'))
    .orderBy('since', 'desc')
    .limit(max)
    .execute();
  if (states.length === 0) return [];
  const days = states.map(({ state }) => Date.parse(state.slice(-dayLength)));
  const rows = await db
    .selectFrom('events')
    .select(['at', 'data'])
    .where('kind', '=', 'charge.refused')
    .where('at', '>=', Math.min(...days))
    .orderBy('at', 'desc')
    .limit(max)
    .execute();
  const reports = rows.map(({ at, data }) => ({ at, ...(ownJson(data) as RefusalData) }));
  const booked = await bookedOf(
    { db },
    reports.map(({ request_id: id }) => id),
  );
  return reports.map(({ at, request_id: requestId, account_id: accountId, cost, error }) => {
    return { at, requestId, accountId, cost, error, isBooked: booked.has(requestId) };
  });
}

interface RefusalData {
  readonly request_id: string;
  readonly account_id: string;
  readonly cost: string;
  readonly error: string;
}

async function bookedOf({ db }: Pick<Store, 'db'>, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('transfers')
    .select('reference')
    .where('reference', 'in', requestIds)
    .where('kind', '=', 'charge')
    .execute();
  return new Set(rows.map(({ reference }) => reference));
}
