import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateway.ts';

let gateway: TestGateway;
const pauses: number[] = [];
beforeAll(async () => {
  const pause = (ms: number): Promise<void> => {
    pauses.push(ms);
    return Promise.resolve();
  };
  gateway = await startTestGateway(undefined, { pause });
  await ownerBrowser(gateway.gateway, gateway.url);
});
afterAll(() => gateway.stop());

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };

test.each(['owner@example.com', 'nobody@example.com'])('guesses for %s are answered later and later', async (email) => {
  pauses.length = 0;
  const browser = newBrowser(gateway.url);
  for (let guess = 0; guess < 8; guess += 1) {
    expectEnvelope(await browser.ask('POST', '/auth/sign-in', { email, password: `guess ${guess}` }), refused);
  }
  expect(pauses).toEqual([250, 500, 1000]);
});

test('the right password is taken after the wait, and then there is none any more', async () => {
  pauses.length = 0;
  const browser = newBrowser(gateway.url);
  const body = { email: 'owner@example.com', password: goodPassword };
  expect(await browser.post('/auth/sign-in', body)).toEqual({ next: 'done' });
  await browser.post('/auth/sign-in', body);
  expect(pauses).toEqual([2000]);
});

test('codes are not guessed quickly either', async () => {
  pauses.length = 0;
  const browser = newBrowser(gateway.url);
  for (let guess = 0; guess < 40; guess += 1) {
    expectEnvelope(await browser.ask('POST', '/auth/two-factor', { code: `${100_000 + guess}` }), refused);
  }
  expect(pauses.length).toBeGreaterThan(10);
  expect(Math.max(...pauses)).toBe(8000);
});
