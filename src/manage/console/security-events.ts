import type { Kysely } from 'kysely';
import { type AuditChange, type AuditOccasion, recordChange, accountsOfUser } from '../admin/api/audit.ts';
import { isoTime } from '../admin/api/wire.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';

/** Names of the audit log for actions of users on their own sign-in. */
type SecurityAction =
  | 'signIn'
  | 'signOut'
  | 'changePassword'
  | 'changeName'
  | 'confirmAddress'
  | 'setUpSecondFactor'
  | 'turnOffSecondFactor'
  | 'renewBackupCodes'
  | 'addPasskey'
  | 'removePasskey'
  | 'endSession'
  | 'endOtherSessions';

/** How a user proved their identity. */
export type Proof = 'password' | 'second-factor' | 'passkey' | 'single-sign-on';

type From = Pick<AuditOccasion, 'requestId' | 'address' | 'device'>;

interface SecurityEvent extends Pick<AuditChange, 'before' | 'after'> {
  readonly from: From;
  /** Runs in the transaction of the audit line. */
  readonly alongside?: (tx: Kysely<Database>) => Promise<void>;
}

interface FailedSignIn {
  readonly user: EventSubject | undefined;
  readonly email: string;
  readonly by: Proof;
}

export interface EventSubject {
  readonly id: string;
  readonly email: string;
}

export type SecurityEvents = ReturnType<typeof securityEvents>;

/** Recorded failures in a day, for each user and for all unknown names together. Guessing must not fill the log. */
const recordedMax = { known: 10, unknown: 100 };
const dayMs = 86_400_000;

/** Writes audit lines about sign-ins and sign-in settings. */
export function securityEvents({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  return {
    /** Records an action of a user. Call it before the reply, so that no sign-in succeeds without an audit line. */
    async record(action: SecurityAction, user: EventSubject, event: SecurityEvent): Promise<void> {
      const { from, alongside, ...sides } = event;
      const by = { at: clock.now(), actor: user.email, role: 'account', action, ...from };
      await store.transaction(async (tx) => {
        await recordChange(joined(store, tx), { kind: 'user', id: user.id, ...sides }, by);
        await alongside?.(tx);
      });
    },
    /** Records a failed sign-in of a user or of an unknown name, up to a daily limit. */
    async recordFailure({ user, email, by: proof }: FailedSignIn, from: From): Promise<void> {
      const id = user?.id ?? 'unknown';
      const max = user ? recordedMax.known : recordedMax.unknown;
      await store.transaction(
        async (tx) => {
          // The same steps for an unknown name, so that the time does not reveal whether a user exists.
          const accounts = await accountsOfUser(tx, id);
          const at = clock.now();
          const recorded = await failuresOf(joined(store, tx), id, max);
          const recent = recorded.filter((each) => each > at - dayMs);
          if (recent.length >= max) return;
          // The last line contains the time until which no further failures are recorded.
          const until = recent.length + 1 < max ? undefined : isoTime((recent.at(-1) ?? at) + dayMs);
          const after = { email, by: proof, ...(until !== undefined && { untold_until: until }) };
          const occasion = { at, actor: email, role: 'account', action: 'failSignIn', ...from };
          await recordChange(joined(store, tx), { kind: 'sign-in', id, after, accounts }, occasion);
        },
        { lock: 'failed sign-ins' },
      );
    },
  };
}

/** Times of the last failures, newest first. They have their own kind, so that the query reads no other lines. */
async function failuresOf({ db }: Store, id: string, limit: number): Promise<readonly number[]> {
  const rows = db.selectFrom('audit').select('at').where('subject_kind', '=', 'sign-in').where('subject_id', '=', id);
  return (await rows.orderBy('id', 'desc').limit(limit).execute()).map(({ at }) => at);
}
