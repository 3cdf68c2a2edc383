import { beforeEach, expect, test } from 'vitest';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { forEachStore } from '../../stores/stores.ts';

interface SearchMatch {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
  readonly account_id: string | null;
}

const requestId = '20260301000000000abcdefghij';

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });

  const find = async (token: string, q: string): Promise<readonly SearchMatch[]> => {
    const side = token === gateway.tokens.owner ? 'admin' : 'account';
    const reply = await gateway.send('GET', `/${side}/v1/search?q=${encodeURIComponent(q)}`, { token });
    expect(reply.status).toBe(200);
    return reply.json.data;
  };
  const kinds = async (token: string, q: string) => (await find(token, q)).map(({ kind, id }) => `${kind} ${id}`);

  test('an operator finds an account, a key and a request by id, and names in any case', async () => {
    const { ann, tokens } = gateway;
    await gateway.record({ id: requestId, accountId: ann.account.id, keyId: ann.keyId });
    expect(await kinds(tokens.owner, ann.account.id)).toEqual([`account ${ann.account.id}`]);
    expect(await kinds(tokens.owner, requestId)).toEqual([`request ${requestId}`]);
    expect(await kinds(tokens.owner, `chatcmpl-${requestId}`)).toEqual([`request ${requestId}`]);
    expect(await kinds(tokens.owner, 'ANN')).toContain(`account ${ann.account.id}`);
    const [key] = await find(tokens.owner, ann.keyId);
    expect(key).toMatchObject({ kind: 'key', id: ann.keyId, account_id: ann.account.id });
    expect(await find(tokens.owner, key!.detail!)).toContainEqual(key);
    expect(await find(tokens.owner, 'nothing has this name')).toEqual([]);
  });

  test.each([
    ['Ärzte GmbH', ['ärz', 'ÄRZ', 'Ärzte g']],
    ['Ключ', ['ключ', 'КЛЮЧ']],
    ['ΟΔΟΣ', ['οδος', 'Οδος', 'οδοσ']],
    ['straße_50%', ['STRAßE_', '50%']],
  ])('names with letters beyond ASCII are found in any case: %s', async (name, texts) => {
    const { owner, tokens, store, ann } = gateway;
    const account = await owner('POST', '/admin/v1/accounts', { name: 'n', display_name: name, package: 'standard' });
    const key = await owner('POST', '/admin/v1/keys', { account: ann.account.id, name });
    const organisation = await owner('POST', '/admin/v1/organisations', { name: 'o', display_name: name });
    await createUser(store.db, systemClock, { email: 'u@example.com', name, passwordHash: '', isVerified: true });
    for (const text of texts) {
      const found = await kinds(tokens.owner, text);
      expect([text, found.toSorted()]).toEqual([text, [`account ${account.id}`, `key ${key.id}`]]);
      const search = encodeURIComponent(text);
      const organisations = await owner('GET', `/admin/v1/organisations?q=${search}`);
      expect([text, organisations.data.map(({ id }: { id: string }) => id)]).toEqual([text, [organisation.id]]);
      const people = await owner('GET', `/admin/v1/people?q=${search}`);
      expect([text, people.data.map(({ email }: { email: string }) => email)]).toEqual([text, ['u@example.com']]);
    }
    expect(await kinds(tokens.owner, `x${texts[0]}`)).toEqual([]);
  });

  test('an operator finds a batch of codes by the id of one of its codes', async () => {
    const { owner, tokens, store } = gateway;
    const batch = await owner('POST', '/admin/v1/code-batches', { count: 1, amount: '5', note: 'fair' });
    const code = await store.db.selectFrom('redemption_codes').select('id').executeTakeFirstOrThrow();
    const expected = { kind: 'code_batch', id: batch.id, name: 'fair' };
    expect(await find(tokens.owner, batch.id)).toMatchObject([expected]);
    expect(await find(tokens.owner, code.id)).toMatchObject([expected]);
  });

  test('an account finds its own things only, and never another account', async () => {
    const { ann, bob } = gateway;
    await gateway.record({ id: requestId, accountId: ann.account.id, keyId: ann.keyId });
    expect(await kinds(ann.token, ann.keyId)).toEqual([`key ${ann.keyId}`]);
    expect(await kinds(ann.token, requestId)).toEqual([`request ${requestId}`]);
    for (const foreign of [ann.keyId, requestId, ann.account.id, 'ann']) {
      expect(await kinds(bob.token, foreign)).toEqual([]);
    }
  });

  test('a payment is found by its id, by its account and by operators', async () => {
    const { ann, bob, tokens } = gateway;
    const { id } = (await gateway.send('POST', '/account/v1/payments', { token: ann.token, body: { amount: '5' } }))
      .json;
    const payment = { kind: 'payment', id, account_id: ann.account.id };
    expect(await find(tokens.owner, id)).toMatchObject([payment]);
    expect(await find(ann.token, id)).toMatchObject([payment]);
    expect(await find(bob.token, id)).toEqual([]);
  });
});
