import { beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../src/accounts/accounts.ts';
import { addMember } from '../../../src/accounts/members.ts';
import { makeLink } from '../../../src/accounts/one-time-links.ts';
import { addOperator } from '../../../src/accounts/operators.ts';
import { createUser } from '../../../src/accounts/users.ts';
import { createToken } from '../../../src/admin/tokens.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { type Browser, ownerBrowser } from '../../browser.ts';
import { forEachConsole } from '../../console-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type Reply } from '../../gateway.ts';

/** Whether two get in each other's way is a matter of luck, so luck is tried more than once. */
const rounds = 4;
const crowd = 4;

forEachConsole((running) => {
  let owner: Browser;
  let ownerId: string;
  beforeAll(async () => {
    owner = await ownerBrowser(running().gateway, running().url);
    ownerId = (await owner.get('/auth/session')).user.id;
  });

  function parts() {
    const { store, pepper } = running().gateway;
    return { store, pepper, clock: systemClock };
  }

  async function users(label: string, count = crowd): Promise<readonly string[]> {
    const made = Array.from({ length: count }, (_, index) =>
      createUser(parts().store.db, systemClock, {
        email: `${label}-${index}@example.com`,
        name: label,
        passwordHash: '',
        isVerified: true,
      }),
    );
    return (await Promise.all(made)).map(({ id }) => id);
  }

  /** Removes all of them in the same moment. */
  async function removeAtOnce(token: string, path: string, ids: readonly string[]): Promise<readonly Reply[]> {
    return Promise.all(
      ids.map(async (id) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${running().url}${path}/${id}`, { method: 'DELETE', headers });
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
      }),
    );
  }

  function expectOneRefusal(replies: readonly Reply[]): void {
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectEnvelope(refused[0]!, { status: 400, code: 'invalid_request', type: 'gateway_error' });
    expect(refused[0]!.json.error.message).toContain('last owner');
  }

  test('of all owners who are removed at once one stays', async () => {
    const { store } = parts();
    const { secret } = await createToken(parts(), { name: 'all', role: 'owner', accountId: undefined });
    const ids = await users('running');
    for (let round = 0; round < rounds; round += 1) {
      for (const userId of [...ids, ownerId]) await addOperator(store, systemClock, { userId, role: 'owner' });
      expectOneRefusal(await removeAtOnce(secret, '/admin/v1/operators', [...ids, ownerId]));
      expect(await store.db.selectFrom('console_operators').select('role').execute()).toEqual([{ role: 'owner' }]);
    }
    await addOperator(store, systemClock, { userId: ownerId, role: 'owner' });
  });

  test('of all owners of an account who are removed at once one stays', async () => {
    const { store } = parts();
    const account = await accounts(store, systemClock).create({ name: 'shared', packageName: 'standard' });
    const { secret } = await createToken(parts(), { name: 'account', role: 'account', accountId: account.id });
    const left = store.db.selectFrom('console_members').select('role').where('account_id', '=', account.id);
    const ids = await users('sharing');
    for (let round = 0; round < rounds; round += 1) {
      for (const userId of ids) await addMember(store, systemClock, { accountId: account.id, userId, role: 'owner' });
      expectOneRefusal(await removeAtOnce(secret, '/account/v1/members', ids));
      expect(await left.execute()).toEqual([{ role: 'owner' }]);
    }
  });

  test('the last owner of an account does not step down by following an invitation', async () => {
    const { store } = parts();
    const account = await accounts(store, systemClock).create({ name: 'alone', packageName: 'standard' });
    await addMember(store, systemClock, { accountId: account.id, userId: ownerId, role: 'owner' });
    const purpose = { kind: 'account', accountId: account.id, email: 'owner@example.com', role: 'viewer' } as const;
    const { secret } = await makeLink(parts(), purpose, 'test');
    const reply = await owner.ask('POST', `/auth/invitations/${secret}/accept`, {});
    expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
    expect(reply.json.error.message).toContain('last owner');
    const [other] = await users('second', 1);
    await addMember(store, systemClock, { accountId: account.id, userId: other!, role: 'owner' });
    expect((await owner.ask('POST', `/auth/invitations/${secret}/accept`, {})).status).toBe(200);
  });
});
