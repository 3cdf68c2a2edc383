import { expect, test } from 'vitest';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../../browser.ts';
import type { ConsoleSuite } from '../../../gateways/console-gateway.ts';
import { expectEnvelope } from '../../../expectations.ts';
import type { TestGateway } from '../../../gateways/gateway.ts';
import { totpCode } from '../../../fakes/totp.ts';

const refused = { status: 401, code: 'sign_in_refused', type: 'authentication_error' };
export const stepMs = 30_000;

/** Sets up a second factor with the current code. Returns the secret of the following codes. */
export async function withSecondFactor(browser: Browser): Promise<string> {
  const { secret } = await browser.post('/auth/totp/begin', { password: goodPassword });
  await browser.post('/auth/totp/confirm', { code: totpCode(secret) });
  return secret;
}

/** A browser that sent the password and now needs a code. */
export async function challenged({ url }: TestGateway): Promise<Browser> {
  const browser = newBrowser(url);
  const body = { email: 'owner@example.com', password: goodPassword };
  expect(await browser.post('/auth/sign-in', body)).toEqual({ next: 'two-factor' });
  return browser;
}

export const oneUseCode: ConsoleSuite = (gateway) => {
  test('a code signs in once, and older codes are refused afterwards', async () => {
    const secret = await withSecondFactor(await ownerBrowser(gateway().gateway, gateway().url));
    const now = Date.now();
    const [older, code] = [totpCode(secret, now), totpCode(secret, now + stepMs)];
    const browser = await challenged(gateway());
    expect(await browser.post('/auth/two-factor', { code })).toEqual({ next: 'done' });
    for (const used of [code, code, older]) {
      const again = await challenged(gateway());
      expectEnvelope(await again.send('POST', '/auth/two-factor', { code: used }), refused);
      expect((await again.get('/auth/session')).user).toBeNull();
    }
  });
};
