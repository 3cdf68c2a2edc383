import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { testStores } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { addMember } from '../../money/accounts/members.ts';
import { createUser } from '../../money/accounts/users.ts';
import { auditLines } from '../admin/api/audit.ts';
import { isoTime } from '../admin/api/wire.ts';
import { securityEvents } from './security-events.ts';

const { open } = testStores('sqlite');
const dayMs = 86_400_000;

test('failed sign-ins are recorded for the accounts of the user up to a daily limit, and the last line names its end', async () => {
  const [store, clock] = [await open(), manualClock()];
  const { id: accountId } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
  const ann = { email: 'ann@example.com', name: 'Ann', passwordHash: 'hash', isVerified: true };
  const user = await createUser(store.db, clock, ann);
  await addMember(store, clock, { accountId, userId: user.id, role: 'owner' });
  const events = securityEvents({ store, clock });
  const from = { requestId: 'r', address: '192.0.2.1', device: 'a browser' };
  const fail = async (subject: typeof user | undefined, email: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await events.recordFailure({ user: subject, email, by: 'password' }, from);
      clock.advance(1000);
    }
  };
  const recorded = (id: string) => auditLines(store, { kind: 'sign-in', id, limit: 200 });
  const begunAt = clock.now();
  await fail(user, user.email, 15);
  const lines = await recorded(user.id);
  expect(lines).toHaveLength(10);
  expect(lines[0]?.after).toEqual({
    email: user.email,
    by: 'password',
    untold_until: isoTime(begunAt + dayMs),
  });
  expect(lines[1]?.after).toEqual({ email: user.email, by: 'password' });
  expect(await auditLines(store, { account: accountId, limit: 200 })).toHaveLength(10);
  // Unknown names share one limit, which does not affect the limits of users.
  for (let name = 0; name < 103; name += 1) await fail(undefined, `stranger-${name}@example.com`, 1);
  expect(await recorded('unknown')).toHaveLength(100);
  clock.advance(begunAt + dayMs - clock.now());
  await fail(user, user.email, 1);
  expect(await recorded(user.id)).toHaveLength(11);
});
