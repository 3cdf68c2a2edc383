import { beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../../src/money/accounts/accounts.ts';
import { addMember } from '../../../../src/money/accounts/members.ts';
import { makeLink } from '../../../../src/money/accounts/one-time-links.ts';
import { addOperator } from '../../../../src/money/accounts/operators.ts';
import { createUser } from '../../../../src/money/accounts/users.ts';
import { createToken } from '../../../../src/manage/admin/api/tokens.ts';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { atOnceUnder } from '../../../stores/at-once.ts';
import { type Browser, ownerBrowser } from '../../../browser.ts';
import type { ConsoleSuite } from '../../../gateways/console-gateway.ts';
import { expectEnvelope } from '../../../expectations.ts';
import { type GatewayReply } from '../../../gateways/gateway.ts';

const ownerCount = 4;

export const lastOwner: ConsoleSuite = (running) => {
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

  async function users(label: string, count = ownerCount): Promise<readonly string[]> {
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

  async function send(method: string, path: string, token: string): Promise<GatewayReply> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(running().url + path, { method, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  }

  /** Removes all of them concurrently. */
  async function removeAtOnce(
    { token, path, lock }: { readonly token: string; readonly path: string; readonly lock: string },
    ids: readonly string[],
  ): Promise<readonly GatewayReply[]> {
    // The first use of a token is also a write.
    expect((await send('GET', path, token)).status).toBe(200);
    const removals = ids.map((id) => () => send('DELETE', `${path}/${id}`, token));
    return atOnceUnder(parts().store, lock, removals);
  }

  function expectOneRefusal(replies: readonly GatewayReply[]): void {
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectEnvelope(refused[0]!, { status: 400, code: 'invalid_request', type: 'gateway_error' });
    expect(refused[0]!.json.error.message).toContain('last owner');
  }

  test('if all owners are removed concurrently, one stays', async () => {
    const { store } = parts();
    const { secret } = await createToken(parts(), { name: 'all', role: 'owner', accountId: undefined });
    const ids = await users('running');
    for (const userId of [...ids, ownerId]) await addOperator(store, systemClock, { userId, role: 'owner' });
    const operators = { token: secret, path: '/admin/v1/operators', lock: 'operators' };
    expectOneRefusal(await removeAtOnce(operators, [...ids, ownerId]));
    expect(await store.db.selectFrom('console_operators').select('role').execute()).toEqual([{ role: 'owner' }]);
    await addOperator(store, systemClock, { userId: ownerId, role: 'owner' });
  });

  test('if all owners of an account are removed concurrently, one stays', async () => {
    const { store } = parts();
    const account = await accounts(store, systemClock).create({ name: 'shared', packageName: 'standard' });
    const { secret } = await createToken(parts(), { name: 'account', role: 'account', accountId: account.id });
    const left = store.db.selectFrom('console_members').select('role').where('account_id', '=', account.id);
    const ids = await users('sharing');
    for (const userId of ids) await addMember(store, systemClock, { accountId: account.id, userId, role: 'owner' });
    const members = { token: secret, path: '/account/v1/members', lock: `members of ${account.id}` };
    expectOneRefusal(await removeAtOnce(members, ids));
    expect(await left.execute()).toEqual([{ role: 'owner' }]);
  });

  test('the last owner of an account cannot accept an invitation to a lower role', async () => {
    const { store } = parts();
    const account = await accounts(store, systemClock).create({ name: 'alone', packageName: 'standard' });
    await addMember(store, systemClock, { accountId: account.id, userId: ownerId, role: 'owner' });
    const purpose = { kind: 'account', accountId: account.id, email: 'owner@example.com', role: 'viewer' } as const;
    const { secret } = await makeLink(parts(), purpose, 'cli');
    const reply = await owner.send('POST', `/auth/invitations/${secret}/accept`, {});
    expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
    expect(reply.json.error.message).toContain('last owner');
    const [other] = await users('second', 1);
    await addMember(store, systemClock, { accountId: account.id, userId: other!, role: 'owner' });
    expect((await owner.send('POST', `/auth/invitations/${secret}/accept`, {})).status).toBe(200);
  });
};
