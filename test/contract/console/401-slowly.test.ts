import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser } from '../../../src/money/accounts/users.ts';
import { passwords } from '../../../src/manage/console/passwords.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { cheapPasswords, type GatewayReply, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { totpCode } from '../../fakes/totp.ts';
import { wrongCode } from './wrong-code.ts';

/** A delayed request that the test can resume. */
interface DelayedRequest {
  readonly ms: number;
  go(): void;
}

let gateway: TestGateway;
let owner: Browser;
let isHolding = false;
const pauses: number[] = [];
const held: DelayedRequest[] = [];
beforeAll(async () => {
  const pause = (ms: number): Promise<void> => {
    pauses.push(ms);
    return isHolding ? new Promise((go) => held.push({ ms, go })) : Promise.resolve();
  };
  gateway = await startTestGateway(undefined, { pause });
  owner = await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(() => gateway.stop());
beforeEach(() => {
  pauses.length = 0;
  isHolding = false;
  for (const { go } of held.splice(0)) go();
});

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
const overloaded = { status: 503, code: 'overloaded', type: 'gateway_error' };

let people = 0;
/** Creates a user who has never signed in. */
async function person(): Promise<string> {
  people += 1;
  const email = `person-${people}@example.com`;
  const passwordHash = await passwords(cheapPasswords).hash(goodPassword);
  await createUser(gateway.gateway.store.db, systemClock, { email, name: 'Person', passwordHash, isVerified: true });
  return email;
}

function guess(email: string, password = 'a wrong password', browser = newBrowser(gateway.url)): Promise<GatewayReply> {
  return browser.send('POST', '/auth/sign-in', { email, password });
}

async function guesses(email: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) expectEnvelope(await guess(email), refused);
}

describe('per name', () => {
  test.each(['known', 'unknown'])('guesses for an %s name are delayed more and more', async (kind) => {
    const email = kind === 'known' ? await person() : 'stranger@example.com';
    await guesses(email, 12);
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
    const { data } = await owner.get(`/admin/v1/audit?action=failSignIn&actor=${email}&limit=200`);
    expect(data).toHaveLength(kind === 'known' ? 10 : 12);
    const silence = data.map((line: { after: { untold_until?: string } }) => line.after.untold_until !== undefined);
    expect(silence.indexOf(true)).toBe(kind === 'known' ? 0 : -1);
  });

  test('the right password is accepted after the delay, and resets it', async () => {
    const email = await person();
    await guesses(email, 8);
    pauses.length = 0;
    expect((await guess(email, goodPassword)).json).toEqual({ next: 'done' });
    expect((await guess(email, goodPassword)).status).toBe(200);
    expect(pauses).toEqual([2000]);
  });

  test('of concurrent guesses one is checked, a few wait, and the others get a 503', async () => {
    const email = await person();
    await guesses(email, 5);
    isHolding = true;
    const replies: GatewayReply[] = [];
    const all = Array.from({ length: 20 }, () => guess(email).then((reply) => replies.push(reply)));
    await expect.poll(() => replies.length, { message: 'guesses that were rejected' }).toBe(15);
    for (const reply of replies) expectEnvelope(reply, overloaded);
    for (let round = 1; round <= 5; round += 1) {
      await expect.poll(() => held.length, { message: 'delayed guesses' }).toBe(1);
      expect(held[0]!.ms).toBe(250 * 2 ** (round - 1));
      held.shift()!.go();
      await expect.poll(() => replies.length, { message: 'guesses with a reply' }).toBe(15 + round);
      expectEnvelope(replies.at(-1)!, refused);
    }
    isHolding = false;
    await Promise.all(all);
  });

  test('a browser that signed in before is not delayed by guesses from other browsers', async () => {
    const email = await person();
    const laptop = newBrowser(gateway.url);
    expect((await guess(email, goodPassword, laptop)).status).toBe(200);
    await guesses(email, 8);
    pauses.length = 0;
    expect((await guess(email, goodPassword, laptop)).json).toEqual({ next: 'done' });
    expect(pauses).toEqual([]);
    await guesses(email, 1);
    expect(pauses).toEqual([2000]);
  });

  test('guesses from such a browser, or with a forged device cookie, are delayed too', async () => {
    const [email, other] = [await person(), await person()];
    const laptop = newBrowser(gateway.url);
    await guess(email, goodPassword, laptop);
    for (let index = 0; index < 8; index += 1) await guess(email, 'wrong', laptop);
    expect(pauses).toEqual([250, 500, 1000]);
    pauses.length = 0;
    await guesses(other, 5);
    await guess(other, 'wrong', laptop);
    const forger = newBrowser(gateway.url);
    const [name = '', value = ''] = [...laptop.cookies].find(([each]) => each.endsWith('device')) ?? [];
    forger.cookies.set(name, `x${value.slice(1)}`);
    await guess(other, 'wrong', forger);
    expect(pauses).toEqual([250, 500]);
  });
});

describe('with a session', () => {
  test.each([
    ['/auth/password', { current: 'wrong', next: 'a long enough one' }],
    ['/auth/totp/begin', { password: 'wrong' }],
    ['/auth/totp/disable', { password: 'wrong' }],
  ])('guesses of the password at %s are delayed', async (path, body) => {
    const email = await person();
    const thief = newBrowser(gateway.url);
    await guess(email, goodPassword, thief);
    for (let index = 0; index < 8; index += 1) expectEnvelope(await thief.send('POST', path, body), refused);
    expect(pauses).toEqual([250, 500, 1000]);
  });

  test('guesses of codes are delayed, also if the right password is sent again', async () => {
    const confirm = (secret: string) => owner.send('POST', '/auth/totp/confirm', { code: wrongCode(secret) });
    const setup = await owner.post('/auth/totp/begin', { password: goodPassword });
    for (let index = 0; index < 6; index += 1) expectEnvelope(await confirm(setup.secret), refused);
    expect(pauses).toEqual([250]);
    // The right password does not reset the delay of the codes.
    const { secret } = await owner.post('/auth/totp/begin', { password: goodPassword });
    expectEnvelope(await confirm(secret), refused);
    expect(pauses).toEqual([250, 500]);
    await owner.post('/auth/totp/confirm', { code: totpCode(secret) });
    pauses.length = 0;
    for (let challenge = 0; challenge < 4; challenge += 1) {
      const guesser = newBrowser(gateway.url);
      expect((await guess('owner@example.com', goodPassword, guesser)).json).toEqual({ next: 'two-factor' });
      for (let index = 0; index < 2; index += 1) {
        const code = wrongCode(secret);
        expectEnvelope(await guesser.send('POST', '/auth/two-factor', { code }), refused);
      }
    }
    expect(pauses).toEqual([250, 500, 1000]);
  });
});

describe('per address', () => {
  test('guesses for one name do not delay another name', async () => {
    const [one, other] = [await person(), await person()];
    await guesses(one, 40);
    pauses.length = 0;
    expect((await guess(other, goodPassword)).status).toBe(200);
    expect(pauses).toEqual([]);
  });

  test('an address that tries many names is delayed, except in a browser that signed in before', async () => {
    const email = await person();
    const laptop = newBrowser(gateway.url);
    await guess(email, goodPassword, laptop);
    for (let index = 0; index < 40; index += 1) await guess(`stranger-${index}@example.com`);
    expect(Math.max(...pauses)).toBe(1000);
    pauses.length = 0;
    expect((await guess(email, goodPassword, laptop)).status).toBe(200);
    expect(pauses).toEqual([]);
  });
});

test('of many concurrent sign-ins one is checked, 16 wait, and the others get a 503', async () => {
  // After its earlier failures, the requests of this address are checked one at a time.
  isHolding = true;
  const replies: GatewayReply[] = [];
  const signIns = Array.from({ length: 40 }, async (_, index) => {
    const reply = await guess(`crowd-${index}@example.com`);
    replies.push(reply);
    return reply;
  });
  // One is delayed, and 16 wait behind it.
  await expect.poll(() => replies.length, { message: 'guesses that were rejected' }).toBe(23);
  for (const reply of replies) expectEnvelope(reply, overloaded);
  expect(held).toHaveLength(1);
  isHolding = false;
  held.shift()!.go();
  const statuses = (await Promise.all(signIns)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(17);
  expect(statuses.filter((status) => status === 503)).toHaveLength(23);
});
