import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createUser } from '../../../src/money/accounts/users.ts';
import { passwords } from '../../../src/manage/console/passwords.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { fakeSmtp } from '../../fakes/fake-smtp.ts';
import { cheapPasswords, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { loadedConfig } from '../../gateways/loaded-config.ts';

let gateway: TestGateway;
const file: Record<string, unknown> = {};
beforeAll(async () => {
  const sites = [{ name: 'open', domains: ['*'], models: ['*'], sign_up: true, sign_up_package: 'basic' }];
  const packages = ['standard', 'basic'].map((name) => ({ name, models: ['*'] }));
  gateway = await startTestGateway((base) => Object.assign(file, base, { sites, packages }));
  await ownerBrowser(gateway.gateway, gateway.url);
  const passwordHash = await passwords(cheapPasswords).hash(goodPassword);
  const { db } = gateway.gateway.store;
  await createUser(db, systemClock, { email: 'ann@example.com', name: 'Ann', passwordHash, isVerified: true });
  const keyless = { email: 'keyless@example.com', name: 'Keyless', passwordHash, isVerified: true };
  const { id } = await createUser(db, systemClock, keyless);
  await db.deleteFrom('console_credentials').where('user_id', '=', id).execute();
});
afterAll(() => gateway.stop());

const open = (): Browser => newBrowser(gateway.url);

/** Counts the password hashes of `work`. They take nearly all the time that a client could measure. */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (count += type === 'ARGON2REQUEST' ? 1 : 0) }).enable();
  await work();
  hook.disable();
  return count;
}

const withoutId = (text: string) => text.replace(/request id: \w+/, '');

/** The reply and the number of hashes for each address. */
async function repliesFor(path: string, more: Record<string, unknown>, emails: readonly string[]) {
  const all: { status: number; text: string; work: number }[] = [];
  for (const email of emails) {
    let reply = { status: 0, text: '' };
    const work = await countHashes(async () => (reply = await open().send('POST', path, { email, ...more })));
    all.push({ status: reply.status, text: withoutId(reply.text), work });
  }
  return all;
}

const addresses = ['ann@example.com', 'keyless@example.com', 'stranger@example.com'];

test('a wrong password gets the same reply with the same work for a user, a user without password and an unknown address', async () => {
  const [known, keyless, stranger] = await repliesFor('/auth/sign-in', { password: 'not the password' }, addresses);
  expect(known).toMatchObject({ status: 401, work: 1 });
  expect(keyless).toEqual(known);
  expect(stranger).toEqual(known);
});

test('with a mail server, sign-up and a sign-in after it reveal no existing users either', async () => {
  const smtp = await fakeSmtp();
  const server = { host: '127.0.0.1', port: smtp.port, security: 'none', from: 'gateway@example.com' };
  const mail = { ...server, url: 'https://gateway.example.com' };
  await gateway.gateway.apply(loadedConfig(stringify({ ...file, mail }), gateway.directory));
  try {
    // The first sign-in with an unknown address hashes the placeholder that later ones are compared with.
    await open().send('POST', '/auth/sign-in', { email: 'first@example.com', password: goodPassword });
    for (const [path, more, status] of [
      ['/auth/sign-in', { password: 'not the password' }, 401],
      ['/auth/sign-up', { name: 'Stranger', password: 'chosen by a stranger', language: 'en' }, 200],
      ['/auth/sign-in', { password: 'not the password' }, 401],
      ['/auth/sign-up/again', { password: 'not the password' }, 401],
    ] as const) {
      const [known, keyless, stranger] = await repliesFor(path, more, addresses);
      expect([path, known?.status]).toEqual([path, status]);
      expect(known?.work).toBeGreaterThan(0);
      expect([path, keyless]).toEqual([path, known]);
      expect([path, stranger]).toEqual([path, known]);
    }
    const some = ['stranger@example.com', 'never@example.com'];
    const [waiting, never] = await repliesFor('/auth/sign-in', { password: 'not the password' }, some);
    expect(never).toEqual(waiting);
  } finally {
    await gateway.gateway.apply(loadedConfig(stringify(file), gateway.directory));
    smtp.close();
  }
});

test('a sign-in does not reuse a session that was planted in the browser', async () => {
  const attacker = open();
  await attacker.post('/auth/sign-in', { email: 'owner@example.com', password: goodPassword });
  const planted = new Map(attacker.cookies);
  const victim = open();
  for (const [name, value] of planted) victim.cookies.set(name, value);
  await victim.post('/auth/sign-in', { email: 'ann@example.com', password: goodPassword });
  expect((await victim.get('/auth/session')).user.email).toBe('ann@example.com');
  const sessions = [...planted].filter(([name]) => name.endsWith('gateway-session'));
  expect(sessions).toHaveLength(1);
  for (const [name, value] of sessions) expect(victim.cookies.get(name)).not.toBe(value);
  const { user } = await attacker.get('/auth/session');
  expect(user?.email).not.toBe('ann@example.com');
});

test.each(['made-up', 'made.up', ''])('a sign-in does not adopt an invented session cookie (%j)', async (value) => {
  const victim = open();
  for (const name of ['gateway-session', '__Host-gateway-session']) victim.cookies.set(name, value);
  await victim.post('/auth/sign-in', { email: 'ann@example.com', password: goodPassword });
  const attacker = open();
  for (const name of ['gateway-session', '__Host-gateway-session']) attacker.cookies.set(name, value);
  expect((await attacker.get('/auth/session')).user).toBeNull();
});
