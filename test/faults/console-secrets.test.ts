import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { goodPassword, newBrowser } from '../browser.ts';
import { startServedGateway, type ServedGateway } from '../gateways/served-gateway.ts';
import { totpCode } from '../fakes/totp.ts';

const canary = () => `canary${randomBytes(10).toString('hex')}`;
const secrets = new Map<string, string>();
/** The path of the last request. Once it is logged, the log has all earlier requests. */
const lastPath = 'the-last-request';
let gateway: ServedGateway;
let printed: string;

async function plantSecrets(): Promise<void> {
  gateway = await startServedGateway({ config: { log: { level: 'trace' } } });
  [, printed = ''] = await gateway.waitForOutput(/app\/setup\?token=(gwl_\w+)/);
  const browser = newBrowser(`http://127.0.0.1:${gateway.port}`);
  const password = canary();
  const next = canary();
  const wrong = canary();
  await browser.post('/auth/setup', { token: printed, email: 'owner@example.com', name: 'Owner', password });
  await browser.send('POST', '/auth/sign-in', { email: 'owner@example.com', password: wrong });
  await browser.send('POST', '/auth/setup', { token: printed, email: 'x@example.com', name: 'X', password: wrong });
  await browser.post('/auth/password', { current: password, next });
  const { secret, backup_codes: codes } = await browser.post('/auth/totp/begin', { password: next });
  await browser.post('/auth/totp/confirm', { code: totpCode(secret) });
  const { link } = await browser.post('/admin/v1/operators/invitations', {
    email: 'guest@example.com',
    role: 'operator',
  });
  const invitation = new URL(link, 'http://localhost').searchParams.get('token') ?? '';
  const guest = newBrowser(`http://127.0.0.1:${gateway.port}`);
  await guest.get(`/auth/invitations/${invitation}`);
  await guest.post(`/auth/invitations/${invitation}/accept`, { name: 'Guest', password: goodPassword });
  await guest.send('GET', `/auth/invitations/${invitation}`);
  await guest.send('GET', `/auth/invitations/${lastPath}`);
  const [, cookie = ''] = [...browser.cookies].find(([name]) => name === '__Host-gateway-session') ?? [];
  const all = {
    password,
    next,
    wrong,
    secret,
    code: codes[0],
    invitation,
    cookie,
    decoded: decodeURIComponent(cookie),
  };
  for (const [name, value] of Object.entries(all)) secrets.set(name, String(value));
}
afterAll(() => gateway.clean());

test('no secret of a user who signs in is logged or stored in plain text', async () => {
  await plantSecrets();
  gateway.signal('SIGTERM');
  await gateway.exit();
  await gateway.waitForOutput(new RegExp(lastPath));
  const store = await gateway.openStore();
  const rows = await store.db.selectFrom('console_users').selectAll().execute();
  expect(rows).toHaveLength(2);
  const sources = new Map([['log', gateway.output]]);
  for (const file of filesIn(gateway.directory)) sources.set(file, readFileSync(file, 'latin1'));
  expect([...sources.keys()].some((file) => file.endsWith('gateway.db'))).toBe(true);
  expect(gateway.output).toContain('/auth/invitations/gwl_…');
  for (const [name, value] of secrets) {
    expect(value.length, name).toBeGreaterThan(8);
    for (const [source, text] of sources) expect(text.includes(value), `${name} in ${source}`).toBe(false);
  }
  sources.delete('log');
  for (const [source, text] of sources) expect(text.includes(printed), source).toBe(false);
});

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}
