import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Arrived } from './sign-in-alert.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { Identity } from './identity.ts';
import type { SecurityEvents } from './security-events.ts';
import type { WaitingSignUps } from './waiting-sign-ups.ts';

/** What every way in goes through: who people are, how often they may be wrong about it, and what is told of it. */
export interface Door {
  readonly people: Identity;
  readonly slowly: SignInThrottle;
  readonly events: SecurityEvents;
  readonly waiting: WaitingSignUps;
  /** Tells people of a sign-in from a place they were never at. */
  readonly notice: (tx: Kysely<Database>, arrived: Arrived) => Promise<void>;
}
