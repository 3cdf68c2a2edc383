import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { atOnceBehind } from '../../stores/at-once.ts';
import { type Browser, goodPassword, newBrowser, ownerBrowser } from '../../browser.ts';
import { run } from '../../../src/cli/program.ts';
import { expectEnvelope } from '../../expectations.ts';
import { answer } from '../../fakes/fake-provider.ts';
import { joined, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

/** Two gateways use one database, like two machines. Commands run like on a third. */
let database: string;
let first: TestGateway;
let second: TestGateway;
let file: string;
const secret = 's'.repeat(32);

beforeAll(async () => {
  database = await newDatabase();
  first = await startTestGateway((base) => ({ ...base, database, secret }));
  second = await startTestGateway((base) => ({ ...base, database, secret, upstreams: upstreamsOf(base, first) }));
  file = join(first.directory, 'commands.yaml');
  writeFileSync(file, `database: ${database}\nsecret: ${secret}\n`);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await dropDatabase(database);
});

test('a key created by a command works on every gateway, and its requests are in one log', async () => {
  const { secret: key } = await command('keys create --account tester --name laptop');
  for (const gateway of [first, second]) {
    const reply = await gateway.chat({}, { authorization: `Bearer ${key}` });
    expect(joined(reply)).toBe('Hello there, friend');
    expect(reply.frames.at(-1)).toBe('[DONE]');
    const id = reply.headers.get('x-gateway-request-id');
    const { db } = first.gateway.store;
    const recorded = db.selectFrom('requests').select('status').where('id', '=', String(id));
    await expect.poll(() => recorded.execute(), { message: 'the record of the request' }).toHaveLength(1);
    expect(await command(`requests show ${id}`)).toMatchObject({ id, status: 200 });
  }
});

test('of two changes with the same version at two gateways one is refused, and a reset link works once in total', async () => {
  const firstBrowser = await ownerBrowser(first.gateway, first.url);
  const secondBrowser = newBrowser(second.url);
  await secondBrowser.post('/auth/sign-in', { email: 'owner@example.com', password: goodPassword });
  const spec = (name: string) => ({ name, models: ['*'] });
  const { version } = await firstBrowser.post('/admin/v1/packages', spec('shared'));
  const put = (browser: Browser, weight: number) =>
    browser.send('PUT', '/admin/v1/packages/shared', { ...spec('shared'), weight }, { 'if-match': `"${version}"` });
  const { store } = first.gateway;
  // Gateways that read the catalog also take its lock, so the test cannot use it to order the writes. One is refused anyway.
  const replies = await Promise.all([put(firstBrowser, 2), put(secondBrowser, 3)]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const { link } = await firstBrowser.post('/admin/v1/operators/invitations', {
    email: 'lost@example.com',
    role: 'operator',
  });
  const tokenIn = (path: string) => new URL(path, first.url).searchParams.get('token');
  const lost = newBrowser(second.url);
  await lost.post(`/auth/invitations/${tokenIn(link)}/accept`, { name: 'Lost', password: goodPassword });
  const { id } = (await lost.get('/auth/session')).user;
  const reset = await firstBrowser.post(`/admin/v1/people/${id}/reset`, { resets: 'password' });
  const follow = ({ url }: TestGateway) =>
    newBrowser(url).send('POST', `/auth/resets/${tokenIn(reset.link)}`, { password: 'a brand-new password' });
  const followed = await atOnceBehind(
    store,
    { take: (tx) => tx.selectFrom('console_links').select('id').forUpdate().execute(), waiting: 4 },
    [first, second, first, second].map((gateway) => () => follow(gateway)),
  );
  expect(followed.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await lost.get('/auth/session')).user).toBeNull();
});

test('a key revoked by a command is refused by every gateway', async () => {
  const { id, secret: key } = await command('keys create --account tester --name doomed');
  const authorization = { authorization: `Bearer ${key}` };
  for (const gateway of [first, second]) expect((await gateway.chat({}, authorization)).status).toBe(200);
  await command(`keys revoke ${id}`);
  for (const gateway of [first, second]) {
    const status = async () => (await gateway.chat({}, authorization)).status;
    await expect.poll(status, { message: 'the status of a request with the revoked key' }).toBe(401);
    const refused = await gateway.chat({}, authorization);
    expectEnvelope(refused, { status: 401, code: 'invalid_api_key', type: 'authentication_error' });
  }
});

test('a model added by a command is in the catalog of every gateway, under the same version', async () => {
  first.provider.respond('extra', answer('Something extra'));
  await command('models add extra --route fake --free');
  const versions: unknown[] = [];
  for (const gateway of [first, second]) {
    const ids = async () => (await gateway.get('/v1/models')).json.data.map((each: { id: string }) => each.id);
    await expect.poll(ids, { message: 'the models of the catalog' }).toContain('extra');
    versions.push((await gateway.get('/v1/models')).headers.get('x-gateway-version'));
  }
  expect(new Set(versions).size).toBe(1);
  expect(joined(await second.chat({ model: 'extra' }))).toBe('Something extra');
});

/** Runs a command and returns the document that it prints with `--json`. */
async function command(line: string): Promise<Record<string, string>> {
  let printed = '';
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed += text));
  const errors = vi.spyOn(console, 'error').mockImplementation((text: string) => void (printed += text));
  const status = await run(['node', 'chat-gateway', ...line.split(' '), '--config', file, '--json']);
  log.mockRestore();
  errors.mockRestore();
  expect(status, printed).toBe(0);
  return JSON.parse(printed);
}

function upstreamsOf(base: Record<string, unknown>, { provider }: TestGateway): unknown {
  return (base.upstreams as Record<string, unknown>[]).map((upstream) => ({ ...upstream, base_url: provider.url }));
}
