import { createHash } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foreignPasswordHash } from '../../../src/money/accounts/foreign-passwords.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { newBrowser } from '../../browser.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const password = 'the old password of a user';
const stored = async (email: string) => {
  const { db } = gateway.gateway.store;
  const row = await db
    .selectFrom('console_credentials')
    .innerJoin('console_users', 'console_users.id', 'console_credentials.user_id')
    .select('password')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  return row.password;
};

test.each([
  ['bcrypt', hashSync(password, 4)],
  ['sha256', createHash('sha256').update(password).digest('hex')],
] as const)('a user signs in with a password that was imported as %s, and it is hashed again', async (form, hash) => {
  const email = `${form}@example.com`;
  const passwordHash = foreignPasswordHash(form, hash);
  await createUser(gateway.gateway.store.db, systemClock, { email, name: form, passwordHash, isVerified: false });
  const wrong = await newBrowser(gateway.url).send('POST', '/auth/sign-in', { email, password: 'another password' });
  expect(wrong.status).toBe(401);
  expect(await stored(email)).toBe(passwordHash);
  expect(await newBrowser(gateway.url).post('/auth/sign-in', { email, password })).toEqual({ next: 'done' });
  expect(await stored(email)).toMatch(/^\$argon2id\$/);
  expect(await newBrowser(gateway.url).post('/auth/sign-in', { email, password })).toEqual({ next: 'done' });
});

test('an imported user without a known password cannot sign in with an empty one', async () => {
  const email = 'unknown-password@example.com';
  await createUser(gateway.gateway.store.db, systemClock, { email, name: 'x', isVerified: false });
  for (const tried of ['', 'undefined', 'null']) {
    const answer = await newBrowser(gateway.url).send('POST', '/auth/sign-in', { email, password: tried });
    expect([400, 401]).toContain(answer.status);
  }
});
