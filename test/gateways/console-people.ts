import { accounts } from '../../src/money/accounts/accounts.ts';
import type { AccountId } from '../../src/money/accounts/ids.ts';
import { addMember, type MemberRole } from '../../src/money/accounts/members.ts';
import { addOperator, type OperatorRole } from '../../src/money/accounts/operators.ts';
import { createUser } from '../../src/money/accounts/users.ts';
import { passwords } from '../../src/manage/console/passwords.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser } from '../browser.ts';
import { cheapPasswords, type TestGateway } from './gateway.ts';

interface Rights {
  /** Roles by account id. */
  readonly accounts?: Readonly<Record<string, MemberRole>>;
  readonly operator?: OperatorRole;
}

export type ConsolePerson = Browser & { readonly email: string; readonly id: string };

let people = 0;

/** Creates a user with these rights and a confirmed address, and signs in. */
export async function newPerson(
  { gateway: { store }, url }: Pick<TestGateway, 'gateway' | 'url'>,
  { accounts: roles = {}, operator }: Rights,
): Promise<ConsolePerson> {
  people += 1;
  const email = `colleague-${people}@example.com`;
  const passwordHash = await passwords(cheapPasswords).hash(goodPassword);
  const { id } = await createUser(store.db, systemClock, { email, name: 'Person', passwordHash, isVerified: true });
  for (const [accountId, role] of Object.entries(roles)) {
    await addMember(store, systemClock, { accountId, userId: id, role });
  }
  if (operator) await addOperator(store, systemClock, { userId: id, role: operator });
  const browser = newBrowser(url);
  await browser.post('/auth/sign-in', { email, password: goodPassword });
  return { ...browser, email, id };
}

export async function newAccount({ gateway }: Pick<TestGateway, 'gateway'>, name: string): Promise<AccountId> {
  return (await accounts(gateway.store, systemClock).create({ name, packageName: 'standard' })).id;
}
