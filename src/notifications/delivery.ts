import type { Selectable } from 'kysely';
import type { DeliveriesTable } from '../store/tables/outbox.ts';

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

/** The outcome of one attempt. */
export interface Result {
  readonly status?: number;
  /** Absent after a success. */
  readonly fault?: DeliveryFault;
  /** A retry cannot succeed. */
  readonly isFinal?: boolean;
}

export type DeliveryRow = Selectable<DeliveriesTable>;

export function attemptsIn({ attempt_log }: Pick<DeliveryRow, 'attempt_log'>): readonly SentAttempt[] {
  return JSON.parse(attempt_log) as SentAttempt[];
}
