import { hash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { forEachStore } from '../../stores/stores.ts';

const secret = 'sk-1FLbJU9fNbmqDG3mhVfkJA';

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });

  const importing = (fields: object, token = gateway.tokens.operator) => {
    const body = { account: gateway.ann.account.id, name: 'old', ...fields };
    return gateway.send('POST', '/admin/v1/keys/import', { token, body });
  };

  test('an operator imports a key, and neither the reply nor the audit log has its secret', async () => {
    const { json } = await importing({ secret, models: ['acme-*'], spend_cap: '5.00', cap_period: 'day' });
    expect(json).toMatchObject({
      is_new: true,
      name: 'old',
      display: 'sk-…kJA',
      models: ['acme-*'],
      cap_period: 'day',
    });
    expect((await importing({ secret, name: 'again' })).json).toMatchObject({
      is_new: false,
      id: json.id,
      name: 'old',
    });
    const sha256 = hash('sha256', secret, 'hex');
    expect((await importing({ sha256: hash('sha256', 'another-key', 'hex') })).json).toMatchObject({ is_new: true });
    const { data } = await gateway.owner('GET', '/admin/v1/audit?action=importKey');
    expect(data).toHaveLength(2);
    expect(JSON.stringify([json, data])).not.toMatch(new RegExp(`${secret}|${sha256}`));
  });

  test('a key of another account, a wrong digest and both secret and digest are refused', async () => {
    await importing({ secret });
    expectRefused(await importing({ secret, account: gateway.bob.account.id }), 'belongs to a key of another account');
    expectRefused(await importing({ sha256: 'abc' }), '`sha256` must be a SHA-256 digest');
    expectRefused(await importing({}), 'needs either `secret` or `sha256`');
    expectRefused(await importing({ secret, sha256: 'a'.repeat(64) }), 'needs either `secret` or `sha256`');
    expectRefused(await importing({ sha256: 'a'.repeat(64), scheme: 'new-api' }), '`scheme` is only for keys');
    expectRefused(await importing({ secret: 'sk-abcdefgh-3', scheme: 'new-api' }), '`secret` must have no `-`');
    expectRefused(await importing({ secret: 'seven77' }), '`secret` must have 8 to 512');
    expect((await importing({ secret }, gateway.tokens['read-only'])).status).toBe(403);
  });

  test('a rotation replaces an imported key by one of the gateway', async () => {
    const { id } = (await importing({ secret, spend_cap: '5.00' })).json;
    const rotated = await gateway.owner('POST', `/admin/v1/keys/${id}/rotate`, { grace: '1h' });
    expect(rotated).toMatchObject({ rotated_from: id, spend_cap: '5.00', secret: expect.stringMatching(/^gwk_live_/) });
  });
});
