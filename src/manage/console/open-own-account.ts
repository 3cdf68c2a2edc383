import { accounts } from '../../money/accounts/accounts.ts';
import { randomBase62 } from '../../money/accounts/base62.ts';
import { addMember } from '../../money/accounts/members.ts';
import { type AuditOccasion, recordChange } from '../admin/api/audit.ts';
import type { Clock } from '../../core/time/clock.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';
import type { EventSubject } from './security-events.ts';

interface OwnAccountRequest {
  readonly user: EventSubject;
  readonly packageName: string;
  readonly from: Pick<AuditOccasion, 'requestId' | 'address' | 'device'>;
}

/** Creates an account for a user who signed up, with the sign-up package of the site and without credit. */
export async function openOwnAccount(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { user, packageName, from }: OwnAccountRequest,
): Promise<void> {
  await store.transaction(async (tx) => {
    const inside = joined(store, tx);
    const book = accounts(inside, clock);
    const name = await freeName(user.email, async (candidate) => (await book.find(candidate)) === undefined);
    const account = await book.create({ name, packageName });
    await addMember(inside, clock, { accountId: account.id, userId: user.id, role: 'owner' });
    await recordChange(
      inside,
      { kind: 'account', id: account.id, after: { name, package: packageName } },
      { at: clock.now(), actor: user.email, role: 'account', action: 'signUp', ...from },
    );
  });
}

const nameCharactersMax = 64;
/** Different addresses may give the same name. The limit bounds the search if a client creates many of them. */
const numbersMax = 20;
const randomCharacters = 12;

/** The e-mail address, with a suffix if an account has this name already. */
async function freeName(email: string, isFree: (name: string) => Promise<boolean>): Promise<string> {
  const base =
    email
      .replace(/[^\w.@-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, nameCharactersMax - 5) || 'account';
  for (let number = 1; number <= numbersMax; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (await isFree(name)) return name;
  }
  return `${base.slice(0, nameCharactersMax - randomCharacters - 1)}-${randomBase62(randomCharacters)}`;
}
