import type { Selectable } from 'kysely';
import type { DeliveriesTable } from '../store/tables/notices.ts';

/** One try to bring something to a receiver. */
export interface SentAttempt {
  readonly at: number;
  /** What a webhook answered; null where nothing came. */
  readonly status: number | null;
  /** What went wrong; null where it arrived. */
  readonly fault: DeliveryFault | null;
  readonly ms: number;
}

/**
 * Why something did not arrive: the answer was no success; nothing came in time; nobody was there; the address is none that
 * may be reached; there is no secret to sign with; too many waited before it; a mail server said no.
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

/** What became of one try. */
export interface Result {
  readonly status?: number;
  /** Left out where it arrived. */
  readonly fault?: DeliveryFault;
  /** Trying again would change nothing. */
  readonly isFinal?: boolean;
}

export type DeliveryRow = Selectable<DeliveriesTable>;

export function attemptsIn({ trail }: Pick<DeliveryRow, 'trail'>): readonly SentAttempt[] {
  return JSON.parse(trail) as SentAttempt[];
}
