import type { Kysely } from 'kysely';
import { type AuditChange, type AuditOccasion, recordChange } from '../admin/audit.ts';
import { accountsOfUser } from '../admin/concerned-accounts.ts';
import { isoTime } from '../admin/wire.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import { joined } from '../store/joined.ts';
import type { Store } from '../store/store.ts';

/** What people do about their way in, as the audit log calls it. */
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

/** By what someone shows who they are. */
export type Proof = 'password' | 'second-factor' | 'passkey' | 'single-sign-on';

type From = Pick<AuditOccasion, 'requestId' | 'address' | 'device'>;

/** What belongs into the transaction of the line. */
type Alongside = (tx: Kysely<Database>) => Promise<void>;

export interface EventSubject {
  readonly id: string;
  readonly email: string;
}

/** Lines of the audit log about how people get in. */
export interface SecurityEvents {
  /** Tells what a user did. Comes before the reply that lets them go on, so that nobody gets in untold. */
  record(
    action: SecurityAction,
    user: EventSubject,
    event: { readonly from: From; readonly alongside?: Alongside } & Pick<AuditChange, 'before' | 'after'>,
  ): Promise<void>;
  /** Tells of a failure to get in as the user, or as a name nobody has; after so many in a while there is silence. */
  recordFailure(
    attempt: { readonly user: EventSubject | undefined; readonly email: string; readonly by: Proof },
    from: From,
  ): Promise<void>;
}

/** Failures that are told for each user in a day, and for all names together that nobody has: guessing does not fill the log. */
const recordedMax = { known: 10, unknown: 100 };
const dayMs = 86_400_000;

export function securityEvents({ store, clock }: { readonly store: Store; readonly clock: Clock }): SecurityEvents {
  return {
    async record(action, user, { from, alongside, ...sides }) {
      const by = { at: clock.now(), actor: user.email, role: 'account', action, ...from };
      await store.transaction(async (tx) => {
        await recordChange(joined(store, tx), { kind: 'user', id: user.id, ...sides }, by);
        await alongside?.(tx);
      });
    },
    async recordFailure({ user, email, by: proof }, from) {
      const id = user?.id ?? 'unknown';
      const max = user ? recordedMax.known : recordedMax.unknown;
      await store.transaction(
        async (tx) => {
          // The same steps for a name that nobody has: how long it takes must not tell the one from the other.
          const accounts = await accountsOfUser(tx, id);
          const at = clock.now();
          const recorded = await failuresOf(joined(store, tx), id, max);
          const recent = recorded.filter((each) => each > at - dayMs);
          if (recent.length >= max) return;
          // Whoever reads the last line learns that silence follows, and for how long.
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

/** When the last of them were, newest first. They have a kind of their own, so that finding them reads nothing else. */
async function failuresOf({ db }: Store, id: string, limit: number): Promise<readonly number[]> {
  const rows = db.selectFrom('audit').select('at').where('subject_kind', '=', 'sign-in').where('subject_id', '=', id);
  return (await rows.orderBy('id', 'desc').limit(limit).execute()).map(({ at }) => at);
}
