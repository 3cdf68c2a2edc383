import { expect, test } from 'vitest';
import { type Browser, goodPassword, newBrowser, setupToken } from '../../../browser.ts';
import type { ConsoleSuite } from '../../../gateways/console-gateway.ts';
import { expectEnvelope } from '../../../expectations.ts';
import { rawExchange } from '../../../raw-client.ts';
import { totpCode } from '../../../fakes/totp.ts';
import { wrongCode } from '../wrong-code.ts';

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
const email = 'owner@example.com';

export const signingIn: ConsoleSuite = (gateway) => {
  const open = (): Browser => newBrowser(gateway().url);
  const signIn = (browser: Browser, password = goodPassword) =>
    browser.send('POST', '/auth/sign-in', { email, password });
  let owner: Browser;

  test('without users, the session shows that the gateway needs a setup', async () => {
    const session = await open().get('/auth/session');
    expect(session).toMatchObject({
      user: null,
      needs_setup: true,
      site: { name: 'main', sign_up: false },
      oidc: null,
    });
  });

  test('the setup link creates the owner, and works once', async () => {
    const token = await setupToken(gateway().gateway);
    const other = await setupToken(gateway().gateway);
    owner = open();
    const body = { token, email: 'Owner@Example.com', name: 'The owner', password: goodPassword };
    expect(await owner.post('/auth/setup', body)).toEqual({ next: 'done' });
    expect(await owner.get('/auth/session')).toMatchObject({
      user: { email, name: 'The owner', two_factor: false },
      operator: 'owner',
      accounts: [],
      currency: 'USD',
      messages_prefix: '/anthropic',
      support_email: 'help@example.com',
    });
    for (const used of [token, other]) {
      expectEnvelope(
        await open().send('POST', '/auth/setup', { ...body, token: used, email: 'x@example.com' }),
        refused,
      );
    }
    expect((await open().get('/auth/session')).needs_setup).toBe(false);
  });

  test('the session cookie is bound to the host, HttpOnly and SameSite', async () => {
    const reply = await signIn(open());
    expect(reply.json).toEqual({ next: 'done' });
    const [cookie = ''] = reply.headers.getSetCookie().filter((each) => each.startsWith('__Host-gateway-session='));
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('without TLS the cookie has neither the `__Host-` prefix nor `Secure`', async () => {
    const host = 'gateway.example:80';
    const withoutTls = { host, origin: `http://${host}` };
    const reply = await rawSignIn(withoutTls);
    expect(reply).toContain('set-cookie: gateway-session=');
    expect(reply).not.toContain('Secure');
  });

  test('an unknown address and a wrong password get the same error', async () => {
    const wrong = await signIn(open(), 'not the password');
    const unknown = await open().send('POST', '/auth/sign-in', {
      email: 'stranger@example.com',
      password: goodPassword,
    });
    expectEnvelope(wrong, refused);
    expectEnvelope(unknown, refused);
    const withoutId = (text: string) => text.replace(/request id: \w+/, '');
    expect(withoutId(unknown.text)).toBe(withoutId(wrong.text));
  });

  test('signing out ends the session, also for a copy of its cookie', async () => {
    const browser = open();
    await signIn(browser);
    const thief = open();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/auth/session')).user.email).toBe(email);
    await browser.post('/auth/sign-out');
    expect((await browser.get('/auth/session')).user).toBeNull();
    expect((await thief.get('/auth/session')).user).toBeNull();
  });

  test('sessions are listed, ended one by one and all at once', async () => {
    const [current, second, third] = [open(), open(), open()];
    for (const browser of [current, second, third]) await signIn(browser);
    const { data } = await current.get('/auth/sessions');
    expect(data.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
    expect(data[0]).toMatchObject({ address: '127.0.0.1', created_at: expect.stringMatching(/Z$/) });
    expect(JSON.stringify(data)).not.toMatch(/token/);
    const [{ id }] = (await second.get('/auth/sessions')).data.filter((each: { current: boolean }) => each.current);
    expect((await current.send('DELETE', `/auth/sessions/${id}`)).status).toBe(200);
    expect((await second.get('/auth/session')).user).toBeNull();
    expect((await current.send('DELETE', `/auth/sessions/${id}`)).status).toBe(404);
    await current.post('/auth/sessions/end-others');
    expect((await third.get('/auth/session')).user).toBeNull();
    expect((await current.get('/auth/session')).user.email).toBe(email);
    owner = current;
  });

  test('a new password needs the old one, and ends every other session', async () => {
    const other = open();
    await signIn(other);
    const next = 'another good password';
    const short = await owner.send('POST', '/auth/password', { current: goodPassword, next: 'short' });
    expectEnvelope(short, { status: 400, code: 'invalid_request', type: 'gateway_error' });
    expectEnvelope(await owner.send('POST', '/auth/password', { current: 'wrong', next }), refused);
    expect((await other.get('/auth/session')).user.email).toBe(email);
    await owner.post('/auth/password', { current: goodPassword, next });
    expect((await owner.get('/auth/session')).user.email).toBe(email);
    expect((await other.get('/auth/session')).user).toBeNull();
    expectEnvelope(await signIn(open()), refused);
    expect((await signIn(open(), next)).status).toBe(200);
    await owner.post('/auth/password', { current: next, next: goodPassword });
  });

  test('a second factor is set up and required, and a backup code replaces it once', async () => {
    expectEnvelope(await owner.send('POST', '/auth/totp/begin', { password: 'wrong' }), refused);
    const { secret, uri, backup_codes: codes } = await owner.post('/auth/totp/begin', { password: goodPassword });
    expect(uri).toMatch(/^otpauth:\/\/totp\//);
    expect(codes.length).toBeGreaterThanOrEqual(8);
    const wrong = await owner.send('POST', '/auth/totp/confirm', { code: wrongCode(secret) });
    expectEnvelope(wrong, refused);
    await owner.post('/auth/totp/confirm', { code: totpCode(secret) });
    expect((await owner.get('/auth/session')).user.two_factor).toBe(true);

    const browser = open();
    expect((await signIn(browser)).json).toEqual({ next: 'two-factor' });
    expect([...browser.cookies.keys()]).not.toContain('__Host-gateway-session');
    expect((await browser.get('/auth/session')).user).toBeNull();
    expect((await browser.send('GET', '/admin/v1/system')).status).toBe(401);
    expectEnvelope(await browser.send('POST', '/auth/two-factor', { code: wrongCode(secret) }), refused);
    const nextCode = totpCode(secret, Date.now() + 30_000);
    expect(await browser.post('/auth/two-factor', { code: nextCode })).toEqual({ next: 'done' });
    expect((await browser.get('/auth/session')).user.email).toBe(email);

    const lost = open();
    await signIn(lost);
    expect(await lost.post('/auth/two-factor', { code: codes[0] })).toEqual({ next: 'done' });
    const again = open();
    await signIn(again);
    expectEnvelope(await again.send('POST', '/auth/two-factor', { code: codes[0] }), refused);
    expectEnvelope(await open().send('POST', '/auth/two-factor', { code: totpCode(secret) }), refused);

    expectEnvelope(await owner.send('POST', '/auth/totp/disable', { password: 'wrong' }), refused);
    await owner.post('/auth/totp/disable', { password: goodPassword });
    expect((await signIn(open())).json).toEqual({ next: 'done' });
  });

  test('a new setup link resets the password and second factor of the owner', async () => {
    const setup = await owner.post('/auth/totp/begin', { password: goodPassword });
    await owner.post('/auth/totp/confirm', { code: totpCode(setup.secret) });
    const token = await setupToken(gateway().gateway);
    const fresh = open();
    const next = 'the third good password';
    await fresh.post('/auth/setup', { token, email, name: 'ignored', password: next });
    expect((await fresh.get('/auth/session')).user).toMatchObject({ email, name: 'The owner', two_factor: false });
    expect((await owner.get('/auth/session')).user).toBeNull();
    expectEnvelope(await signIn(open()), refused);
  });

  test('passkey challenges are for this host, and an unknown passkey is refused', async () => {
    const browser = open();
    await signIn(browser, 'the third good password');
    const registration = await browser.post('/auth/passkeys/begin', { password: 'the third good password' });
    expect(registration).toMatchObject({ rp: { id: '127.0.0.1' }, user: { name: email } });
    expect(registration.authenticatorSelection.userVerification).toBe('required');
    expect(await browser.get('/auth/passkeys')).toEqual({ data: [] });
    expect((await browser.send('DELETE', '/auth/passkeys/none')).status).toBe(404);
    const stranger = open();
    const challenge = await stranger.post('/auth/passkeys/sign-in/begin');
    expect(challenge).toMatchObject({ rpId: '127.0.0.1', userVerification: 'required' });
    const response = {
      id: 'AAAA',
      rawId: 'AAAA',
      type: 'public-key',
      response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
    };
    expectEnvelope(await stranger.send('POST', '/auth/passkeys/sign-in/finish', { response }), refused);
    // A name that must not be parsed: see `../packages/formats/src/json/safe-json`.
    const clientDataJSON = Buffer.from(String.raw`{"\\":1}`).toString('base64url');
    const crafted = { response: { ...response, response: { ...response.response, clientDataJSON } } };
    expect((await stranger.send('POST', '/auth/passkeys/sign-in/finish', crafted)).status).toBe(400);
  });

  test('the audit log has sign-ins and changes of credentials, with address and device', async () => {
    const browser = open();
    await signIn(browser, 'the third good password');
    const { data } = await browser.get('/admin/v1/audit?limit=200');
    const actions = new Set(data.map((line: { action: string }) => line.action));
    const expected = ['setUpOwner', 'signIn', 'failSignIn', 'signOut', 'changePassword', 'setUpSecondFactor'];
    for (const action of [...expected, 'turnOffSecondFactor', 'endSession', 'endOtherSessions']) {
      expect([...actions]).toContain(action);
    }
    const aboutThemselves = data.filter((line: { action: string }) => /SecondFactor/.test(line.action));
    for (const line of aboutThemselves) expect(line.subject_name).toBe(line.actor);
    expect(data[0]).toMatchObject({
      actor: email,
      action: 'signIn',
      subject_kind: 'user',
      subject_name: email,
      address: '127.0.0.1',
      device: 'node',
      after: { email, by: 'password', new_device: true },
      request_id: expect.any(String),
    });
    const failed = data.filter((line: { action: string }) => line.action === 'failSignIn');
    expect(failed).toContainEqual(
      expect.objectContaining({ actor: email, after: expect.objectContaining({ by: 'second-factor' }) }),
    );
    expect(failed).toContainEqual(expect.objectContaining({ actor: 'stranger@example.com', subject_id: 'unknown' }));
    expect(JSON.stringify(data)).not.toMatch(/password\b(?!")|horse/);
  });

  async function rawSignIn({ host, origin }: { host: string; origin: string }): Promise<string> {
    const body = JSON.stringify({ email, password: goodPassword });
    const head = [
      'POST /auth/sign-in HTTP/1.1',
      `host: ${host}`,
      `origin: ${origin}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    return (await rawExchange(gateway().port, `${head.join('\r\n')}\r\n\r\n${body}`)).raw;
  }
};
