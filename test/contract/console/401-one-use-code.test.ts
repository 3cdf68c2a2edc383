import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { forEachConsole } from '../../console-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateway.ts';
import { dropDatabase, newDatabase } from '../../stores.ts';
import { totpCode } from '../../totp.ts';

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
const stepMs = 30_000;

/** Sets a second factor up with the code of this moment; the secret of the next ones. */
async function withSecondFactor(browser: Browser): Promise<string> {
  const { secret } = await browser.post('/auth/totp/begin', { password: goodPassword });
  await browser.post('/auth/totp/confirm', { code: totpCode(secret) });
  return secret;
}

/** Someone who gave the password and is asked for a code. */
async function challenged({ url }: TestGateway): Promise<Browser> {
  const browser = newBrowser(url);
  const body = { email: 'owner@example.com', password: goodPassword };
  expect(await browser.post('/auth/sign-in', body)).toEqual({ next: 'two-factor' });
  return browser;
}

forEachConsole((gateway) => {
  test('a code signs in once, and none that is older does afterwards', async () => {
    const secret = await withSecondFactor(await ownerBrowser(gateway().gateway, gateway().url));
    const code = totpCode(secret, Date.now() + stepMs);
    const browser = await challenged(gateway());
    expect(await browser.post('/auth/two-factor', { code })).toEqual({ next: 'done' });
    for (const used of [code, code, totpCode(secret)]) {
      const again = await challenged(gateway());
      expectEnvelope(await again.ask('POST', '/auth/two-factor', { code: used }), refused);
      expect((await again.get('/auth/session')).user).toBeNull();
    }
  });
});

let database: string;
let gateways: readonly TestGateway[];
beforeAll(async () => {
  database = await newDatabase();
  const place = { database, secret: 'a secret of at least 32 characters' };
  gateways = [
    await startTestGateway((base) => ({ ...base, ...place })),
    await startTestGateway((base) => ({ ...base, ...place })),
  ];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await dropDatabase(database);
});

test('of several who send the same code to two processes at once, one is signed in', async () => {
  const [first] = gateways;
  const secret = await withSecondFactor(await ownerBrowser(first!.gateway, first!.url));
  const browsers: Browser[] = [];
  for (const gateway of [...gateways, ...gateways, ...gateways]) browsers.push(await challenged(gateway));
  const code = totpCode(secret, Date.now() + stepMs);
  const replies = await Promise.all(browsers.map((browser) => browser.ask('POST', '/auth/two-factor', { code })));
  const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses).toEqual([200, 401, 401, 401, 401, 401]);
});
