import { expect, test } from 'vitest';
import { libraryTime } from '../../../../src/money/accounts/users.ts';
import { authenticator, safetyNetStatement } from '../../../fakes/authenticator.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../../browser.ts';
import type { ConsoleSuite } from '../../../gateways/console-gateway.ts';
import { expectEnvelope } from '../../../expectations.ts';

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };

export const passkeys: ConsoleSuite = (gateway) => {
  let owner: Browser;
  let device: ReturnType<typeof authenticator>;
  const begin = (browser: Browser) => browser.post('/auth/passkeys/sign-in/begin');

  const proof = { password: goodPassword };

  test('a passkey is registered and listed under its name', async () => {
    owner = await ownerBrowser(gateway().gateway, gateway().url);
    device = authenticator(gateway().url);
    for (const body of [{}, { password: 'wrong' }]) {
      expect((await owner.send('POST', '/auth/passkeys/begin', body)).status).not.toBe(200);
    }
    const response = device.create(await owner.post('/auth/passkeys/begin', proof));
    const { id } = await owner.post('/auth/passkeys/finish', { response, name: 'laptop' });
    const { data } = await owner.get('/auth/passkeys');
    expect(data).toEqual([{ id, name: 'laptop', created_at: expect.stringMatching(/Z$/) }]);
  });

  test('a passkey signs in without a password', async () => {
    const browser = newBrowser(gateway().url);
    const response = device.get(await begin(browser));
    expect(await browser.post('/auth/passkeys/sign-in/finish', { response })).toEqual({ next: 'done' });
    expect(await browser.get('/auth/session')).toMatchObject({
      user: { email: 'owner@example.com' },
      operator: 'owner',
    });
  });

  test('a response is valid for its own challenge only, and once', async () => {
    const [browser, other] = [newBrowser(gateway().url), newBrowser(gateway().url)];
    const response = device.get(await begin(browser));
    await begin(other);
    expectEnvelope(await other.send('POST', '/auth/passkeys/sign-in/finish', { response }), refused);
    await browser.post('/auth/passkeys/sign-in/finish', { response });
    expectEnvelope(await browser.send('POST', '/auth/passkeys/sign-in/finish', { response }), refused);
  });

  test('a passkey without user verification, or from another origin, is refused', async () => {
    const careless = authenticator(gateway().url, { verifiesUser: false });
    const made = careless.create(await owner.post('/auth/passkeys/begin', proof));
    await owner.send('POST', '/auth/passkeys/finish', { response: made });
    const browser = newBrowser(gateway().url);
    const unverified = careless.get(await begin(browser));
    expectEnvelope(await browser.send('POST', '/auth/passkeys/sign-in/finish', { response: unverified }), refused);
    expect((await browser.get('/auth/session')).user).toBeNull();
    const phished = authenticator('https://evil.example').create(await owner.post('/auth/passkeys/begin', proof));
    expectEnvelope(await owner.send('POST', '/auth/passkeys/finish', { response: phished }), refused);
  });

  /** After the engine has parsed `crafted`, it misreads the second name of `later`: see `../packages/formats/src/json/safe-json`. */
  const crafted = (name: string) => String.raw`{"${name}":1,"\\":1}`;
  const later = (name: string) => String.raw`{"${name}":1,"\n":1}`;
  const namesOf = (text: string) => Object.keys(JSON.parse(text));

  test('an attestation with a crafted name does not change how a later text is read', async () => {
    const name = 'attestation';
    const statement = safetyNetStatement([crafted(name), '{}', 'x']);
    const response = device.create(await owner.post('/auth/passkeys/begin', proof), statement);
    const { status } = await owner.send('POST', '/auth/passkeys/finish', { response });
    expect([namesOf(later(name)), status]).toEqual([[name, '\n'], 400]);
  });

  test('a crafted name that only a lenient decoder finds does not change how a later text is read', async () => {
    const browser = newBrowser(gateway().url);
    const name = 'lenient';
    const { response, ...rest } = device.get(await begin(browser));
    const clientDataJSON = `I=kg${Buffer.from(crafted(name)).toString('base64url')}`;
    const sent = { response: { ...rest, response: { ...response, clientDataJSON } } };
    const { status } = await browser.send('POST', '/auth/passkeys/sign-in/finish', sent);
    expect([namesOf(later(name)), status]).toEqual([[name, '\n'], 400]);
  });

  test('expired challenges are deleted when the next sign-in begins', async () => {
    const { db } = gateway().gateway.store;
    const challenges = async () => (await db.selectFrom('console_verifications').select('id').execute()).length;
    await begin(newBrowser(gateway().url));
    const open = await challenges();
    await db
      .updateTable('console_verifications')
      .set({ expires_at: libraryTime(db, 0) })
      .execute();
    await begin(newBrowser(gateway().url));
    expect([open > 0, await challenges()]).toEqual([true, 1]);
  });

  test('a removed passkey is refused', async () => {
    for (const { id } of (await owner.get('/auth/passkeys')).data) await owner.send('DELETE', `/auth/passkeys/${id}`);
    expect((await owner.get('/auth/passkeys')).data).toEqual([]);
    const browser = newBrowser(gateway().url);
    const response = device.get(await begin(browser));
    expectEnvelope(await browser.send('POST', '/auth/passkeys/sign-in/finish', { response }), refused);
  });

  test('the audit log has all passkey actions, with the name of the passkey', async () => {
    const { data } = await owner.get('/admin/v1/audit?limit=200');
    const actions = data.map((line: { action: string; after: unknown; before: unknown }) => [
      line.action,
      line.after ?? line.before,
    ]);
    expect(actions).toContainEqual(['addPasskey', { passkey: 'laptop' }]);
    expect(actions).toContainEqual(['removePasskey', { passkey: 'laptop' }]);
    expect(actions).toContainEqual(['signIn', { email: 'owner@example.com', by: 'passkey', new_device: true }]);
    expect(actions).toContainEqual(['failSignIn', expect.objectContaining({ by: 'passkey' })]);
  });
};
