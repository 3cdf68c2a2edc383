import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { SignInEvent } from './sign-in-alert.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { Identity } from './identity.ts';
import type { SecurityEvents } from './security-events.ts';
import type { PendingSignUps } from './pending-sign-ups.ts';

/** What every way in goes through: who people are, how often they may be wrong about it, and what is told of it. */
export interface AuthContext {
  readonly identity: Identity;
  readonly throttle: SignInThrottle;
  readonly events: SecurityEvents;
  readonly pendingSignUps: PendingSignUps;
  /** Tells people of a sign-in from a place they were never at. */
  readonly alertSignIn: (tx: Kysely<Database>, event: SignInEvent) => Promise<void>;
}
