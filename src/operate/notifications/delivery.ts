import type { Kysely, Selectable } from 'kysely';
import { randomBase62 } from '../../money/accounts/base62.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow } from '../../platform/store/engine.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** One attempt to deliver an event or an e-mail. */
export interface SentAttempt {
  readonly at: number;
  /** Status code of the answer; null if there was no answer. */
  readonly status: number | null;
  /** Null after a success. */
  readonly fault: DeliveryFault | null;
  readonly ms: number;
}

/**
 * Why an attempt failed: an answer other than 2xx; no answer in time; no connection; an address that is not allowed;
 * no secret to sign or decrypt with; too many waiting deliveries; refused by the mail server.
 */
export const deliveryFaults = [
  'status',
  'timeout',
  'unreachable',
  'address-refused',
  'no-secret',
  'too-many-waiting',
  'mail-refused',
] as const;

export type DeliveryFault = (typeof deliveryFaults)[number];

/** A delivery that is given up is a dead letter: it is sent again only if a user requests it. */
export const deliveryStates = ['waiting', 'delivered', 'given-up'] as const;

export interface Result {
  readonly status?: number;
  /** Absent after a success. */
  readonly fault?: DeliveryFault;
  readonly isFinal?: boolean;
}

export type EndpointRow = Selectable<Database['delivery_endpoints']>;

export const noFailures = { failing_since: null, failures: 0, cooldown_until: 0 } as const;

export type DeliveryRow = Selectable<Database['deliveries']>;

export function newDeliveryId(): string {
  return `dlv_${randomBase62(16)}`;
}

interface NewDelivery {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly endpointId: string;
  readonly accountId: string | undefined;
  readonly createdAt: number;
  /** Recipient and sealed content of an e-mail. */
  readonly target?: string;
  readonly payload?: string;
  /** The delivery is given up at once. */
  readonly fault?: DeliveryFault | undefined;
}

/** Adds deliveries that are due at once. If an event already has a delivery to the same target, that one stays. */
export async function addDeliveries(db: Kysely<Database>, deliveries: readonly NewDelivery[]): Promise<void> {
  const now = databaseNow(db);
  const rows = deliveries.map(({ id, eventId, endpointId, accountId, createdAt, target = '', payload, fault }) => {
    const attempts: readonly SentAttempt[] = fault ? [{ at: createdAt, status: null, fault, ms: 0 }] : [];
    return {
      id,
      event_id: eventId ?? null,
      endpoint_id: endpointId,
      account_id: accountId ?? null,
      target,
      payload: payload ?? null,
      state: fault ? ('given-up' as const) : ('waiting' as const),
      attempts: 0,
      next_at: now,
      first_at: now,
      attempt_log: JSON.stringify(attempts),
      created_at: createdAt,
    };
  });
  await db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((row) => row.columns(['event_id', 'endpoint_id', 'target']).doNothing())
    .execute();
}

export type DeliveryProgress = ReturnType<typeof progressFrom>;

/** The state of a delivery, to a webhook endpoint or by e-mail. */
export function progressFrom(row: DeliveryRow) {
  return {
    id: row.id,
    state: row.state,
    attemptCount: row.attempts,
    /** Time of the next attempt; undefined if there is none. */
    nextAt: row.state === 'waiting' ? row.next_at : undefined,
    createdAt: row.created_at,
    /** The last attempts, oldest first. */
    attempts: attemptsIn(row),
  };
}

export function attemptsIn({ attempt_log }: DeliveryRow): readonly SentAttempt[] {
  return ownJson(attempt_log) as SentAttempt[];
}
