import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import type { SignInEvent } from './sign-in-alert.ts';
import type { beginningQuota } from './throttle/network-quotas.ts';
import type { SignInThrottle } from './throttle/sign-in-throttle.ts';
import type { Identity } from './identity.ts';
import type { SecurityEvents } from './security-events.ts';
import type { FindPendingSignUp } from './pending-sign-ups.ts';

/** Shared by all sign-in and sign-up routes. */
export interface AuthContext {
  readonly identity: Identity;
  readonly throttle: SignInThrottle;
  readonly events: SecurityEvents;
  readonly findPendingSignUp: FindPendingSignUp;
  /** Call before a sign-in begins that stores a challenge. Throws `overloaded` if the network begins too many. */
  readonly countBeginning: ReturnType<typeof beginningQuota>;
  /** Sends an e-mail to the user after a sign-in from a new location. */
  readonly alertSignIn: (tx: Kysely<Database>, event: SignInEvent) => Promise<void>;
}
