import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, ownerBrowser } from '../../browser.ts';
import { command } from '../../gateways/command.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** A command and an endpoint are one rule: both refuse the same input, with the same reason. */
let gateway: TestGateway;
let owner: Browser;
let account: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await ownerBrowser(gateway.gateway, gateway.url);
  account = (await owner.get('/admin/v1/accounts?name=tester')).data[0].id;
  await owner.post('/admin/v1/packages', { name: 'gold', models: ['*'] });
});
afterAll(() => gateway.stop());

const long = 'x'.repeat(65);
const families = '👩‍💻'.repeat(64);
const models = Array.from({ length: 1001 }, (_, index) => `m${index}`);
const webhook = { name: 'ops', url: 'https://hooks.example.com/in' };
const batch = { count: 1, amount: '1.00', note: 'fair' };
const credit = { kind: 'top_up', amount: '1.00', reference: 'r', reason: 'r' };

interface RefusedInput {
  readonly words: readonly string[];
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly field: string;
}

const codes = (more: Record<string, string>) => [
  'codes',
  'create',
  ...options({ count: '1', amount: '1.00', note: 'fair', ...more }),
];
const key = (more: Record<string, string>) => [
  'keys',
  'create',
  '--account',
  'tester',
  ...options({ name: 'k', ...more }),
];
const credits = (amount: string, more: Record<string, string>) =>
  ['accounts', 'credit', 'tester'].concat(options({ reason: 'r', ...more }), '--', amount);

const refused: Readonly<Record<string, RefusedInput>> = {
  'a webhook with a name that is too long': {
    words: ['webhooks', 'add', webhook.url, '--name', long],
    path: 'webhooks',
    body: { ...webhook, name: long },
    field: 'name',
  },
  'a webhook without a visible name': {
    words: ['webhooks', 'add', webhook.url, '--name', '\u200B'],
    path: 'webhooks',
    body: { ...webhook, name: '\u200B' },
    field: 'name',
  },
  'a webhook for an unknown event': {
    words: ['webhooks', 'add', webhook.url, '--name', 'ops', '--events', 'tea.ready'],
    path: 'webhooks',
    body: { ...webhook, events: ['tea.ready'] },
    field: 'events[0]',
  },
  'a webhook at an address that is not one': {
    words: ['webhooks', 'add', 'nowhere', '--name', 'ops'],
    path: 'webhooks',
    body: { ...webhook, url: 'nowhere' },
    field: 'url',
  },
  'codes with a note that is too long': {
    words: codes({ note: long }),
    path: 'code-batches',
    body: { ...batch, note: long },
    field: 'note',
  },
  'codes with a note that changes the text direction': {
    words: codes({ note: 'a\u202Eb' }),
    path: 'code-batches',
    body: { ...batch, note: 'a\u202Eb' },
    field: 'note',
  },
  'codes for an unknown site': {
    words: codes({ site: 'nowhere' }),
    path: 'code-batches',
    body: { ...batch, site: 'nowhere' },
    field: 'site',
  },
  'codes for an unknown package': {
    words: codes({ package: 'golf' }),
    path: 'code-batches',
    body: { ...batch, package: 'golf' },
    field: 'package',
  },
  'worthless codes': {
    words: codes({ amount: '0' }),
    path: 'code-batches',
    body: { ...batch, amount: '0' },
    field: 'amount',
  },
  'no codes': { words: codes({ count: '0' }), path: 'code-batches', body: { ...batch, count: 0 }, field: 'count' },
  'a key with a name that is too long': {
    words: key({ name: long }),
    path: 'keys',
    body: { name: long },
    field: 'name',
  },
  'a key with too many models': {
    words: key({ models: models.join(',') }),
    path: 'keys',
    body: { name: 'k', models },
    field: 'models',
  },
  'a key with a period and no cap': {
    words: key({ 'cap-period': 'day' }),
    path: 'keys',
    body: { name: 'k', cap_period: 'day' },
    field: 'cap_period',
  },
  'a key with an address that is not one': {
    words: key({ addresses: '10.0.0.0/99' }),
    path: 'keys',
    body: { name: 'k', addresses: ['10.0.0.0/99'] },
    field: 'addresses[0]',
  },
  'a credit of nothing': {
    words: credits('0', {}),
    path: 'accounts/:account/credits',
    body: { ...credit, amount: '0' },
    field: 'amount',
  },
  'a negative grant': {
    words: credits('-1', { as: 'grant' }),
    path: 'accounts/:account/credits',
    body: { ...credit, kind: 'grant', amount: '-1' },
    field: 'amount',
  },
  'a credit without a reason': {
    words: credits('1', { reason: ' ' }),
    path: 'accounts/:account/credits',
    body: { ...credit, reason: ' ' },
    field: 'reason',
  },
  'a credit with a reference that is too long': {
    words: credits('1', { reference: 'r'.repeat(201) }),
    path: 'accounts/:account/credits',
    body: { ...credit, reference: 'r'.repeat(201) },
    field: 'reference',
  },
  'an account of an unknown package': {
    words: ['accounts', 'create', 'late', '--package', 'golf'],
    path: 'accounts',
    body: { name: 'late', package: 'golf' },
    field: 'package',
  },
  'an account with a taken name': {
    words: ['accounts', 'create', 'tester'],
    path: 'accounts',
    body: { name: 'tester' },
    field: 'name',
  },
  'an account in an unknown time zone': {
    words: ['accounts', 'create', 'late', '--time-zone', 'Mars/Base'],
    path: 'accounts',
    body: { name: 'late', time_zone: 'Mars/Base' },
    field: 'time_zone',
  },
  'a token with a name that is too long': {
    words: ['admin-tokens', 'create', '--role', 'operator', '--name', long],
    path: 'tokens',
    body: { name: long, role: 'operator' },
    field: 'name',
  },
  'a package with an unknown weight': {
    words: ['packages', 'add', 'odd', '--weight', '0'],
    path: 'packages',
    body: { name: 'odd', models: ['*'], weight: 0 },
    field: 'weight',
  },
};

test.each(Object.entries(refused))(
  'a command and its endpoint refuse %s alike',
  async (_, { words, path, body, field }) => {
    const byCommand = await failure(...words);
    const owned = path === 'keys' ? { account, ...body } : body;
    const byEndpoint = await owner.send('POST', `/admin/v1/${path.replace(':account', account)}`, owned);
    expect(byEndpoint.status).toBe(400);
    expect(byCommand.problems).toContainEqual(expect.objectContaining({ field }));
    const { reason, params, problems } = byEndpoint.json.error;
    expect(byCommand).toMatchObject({ reason, params, problems });
  },
);

test('a command and its endpoint accept the same key name: 64 characters that readers see', async () => {
  const made = await run('keys', 'create', '--account', 'tester', '--name', families);
  expect(made).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse(made.out).name).toBe(families);
  expect(await owner.post('/admin/v1/keys', { account, name: families })).toMatchObject({ name: families });
});

test('webhooks test refuses a paused endpoint, and webhooks add refuses the 21st', async () => {
  const { id } = await owner.post('/admin/v1/webhooks', { name: 'first', url: webhook.url });
  await owner.send('PATCH', `/admin/v1/webhooks/${id}`, { is_on: false });
  expect(await failure('webhooks', 'test', 'first')).toMatchObject({ reason: 'webhook_disabled' });
  for (let count = 2; count <= 20; count += 1)
    await owner.post('/admin/v1/webhooks', { name: `hook ${count}`, url: webhook.url });
  expect(await failure('webhooks', 'add', webhook.url, '--name', 'late')).toMatchObject({
    reason: 'too_many_webhooks',
    params: { max: 20 },
  });
});

test('an audit log entry of a command has the form of its endpoint, and the actor cli', async () => {
  await run('packages', 'add', 'silver');
  const [line] = (await owner.get('/admin/v1/audit?limit=1')).data;
  expect(line).toMatchObject({ actor: 'cli', role: 'cli', action: 'addPackage', request_id: null, address: null });
});

function options(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}

function run(...words: readonly string[]) {
  return command('--data', join(gateway.directory, 'data'), '--json', ...words);
}

async function failure(...words: readonly string[]) {
  const { status, err, out } = await run(...words);
  expect(out).toBe('');
  expect(status).toBeGreaterThan(0);
  return JSON.parse(err).error;
}
