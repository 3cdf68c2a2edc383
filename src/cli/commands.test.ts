import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putStore } from '../../test/stores/made-store.ts';
import { accounts } from '../money/accounts/accounts.ts';
import { KeyRing } from '../money/accounts/key-ring.ts';
import { openPepper } from '../platform/secrets/pepper.ts';
import { changeFeed } from '../platform/cluster/change-feed.ts';
import { systemClock } from '../core/time/clock.ts';
import { recordWith } from '../../test/fixtures/requests/record.ts';
import { requestLog } from '../money/requests/request-log.ts';
import { rememberPrices } from '../money/billing/ledger/price-book.ts';
import { settleCharges } from '../money/billing/settle.ts';
import { priceOf } from '../platform/config/schema/model-price.ts';
import { openStore, type Store } from '../platform/store/store.ts';
import { registerAccounts } from './accounts/accounts.ts';
import { runCommandLine } from './command-line.ts';
import { registerBodies } from './requests/bodies.ts';
import { registerKeys } from './accounts/keys.ts';
import { registerLedger } from './money/ledger.ts';
import { registerRequests } from './requests/requests.ts';
import { registerUsage } from './requests/usage.ts';

let folder: string;
let data: string;
let printed: { out: string; err: string };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
  data = join(folder, 'data');
  await putStore(data);
  printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed.out += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed.err += `${line}\n`));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed.err += String(text))));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('commands on an empty store print the next step, up to a first key', async () => {
  expect(await cli('accounts list')).toBe(0);
  expect(printed.out).toContain('Create one: chat-gateway accounts create NAME');
  await cli('accounts create demo');
  expect(printed.out).toContain('chat-gateway keys create --account demo --name laptop');
  await cli('keys list');
  expect(printed.out).toContain('No keys in');
  await cli('requests list');
  expect(printed.out).toContain('No matching requests');
});

test.each(['accounts list', 'keys list', 'keys show laptop', 'requests list', 'usage', 'ledger verify'])(
  '%s does not create a store',
  async (line) => {
    const absent = join(folder, 'absent');
    expect(await runLine([...line.split(' '), '--data', absent])).toBe(1);
    expect(printed.err).toContain(`There is no store in ${absent} yet.\nStart the gateway, which creates it, or name`);
    expect(existsSync(absent)).toBe(false);
    expect(await runLine(['accounts', 'create', 'demo', '--data', absent])).toBe(0);
    expect(existsSync(join(absent, 'gateway.db'))).toBe(true);
  },
);

test('accounts list shows the accounts of a file before the first start', async () => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, 'data: ./absent\naccounts: [{ name: described, package: standard }]\n');
  expect(await runLine(['accounts', 'list', '--config', file])).toBe(0);
  expect(printed.out).toContain('described');
});

test('keys create prints a working secret once, with a command to try it', async () => {
  await cli('accounts create demo');
  expect(await cli('keys create --account demo --name laptop --models acme-large,acme-* --expires 30d')).toBe(0);
  const [secret] = /gwk_live_\w{38}/.exec(printed.out) ?? [];
  expect(printed.out).toContain(
    `curl -N http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer ${secret}"`,
  );
  expect(printed.out).toContain('"model":"acme-large"');
  expect(printed.out).toContain('"stream":true');
  expect(printed.out).toContain('in 30 days');
  expect(await holderOf(secret!)).toMatchObject({
    accountName: 'demo',
    keyName: 'laptop',
    models: ['acme-large', 'acme-*'],
  });
  printed.out = '';
  await cli('keys list');
  await cli('keys show laptop');
  expect(printed.out).toContain(`${secret!.slice(0, 11)}…${secret!.slice(-2)}`);
  expect(printed.out).not.toContain(secret);
});

test('keys import takes a key by its digest, and accepts the key without ever printing it', async () => {
  await cli('accounts create demo');
  const key = 'sk-1FLbJU9fNbmqDG3mhVfkJA';
  const options = `--account demo --name old --sha256 ${hash('sha256', key, 'hex')} --spend-cap 5.00`;
  const imported = await json(`keys import ${options}`);
  expect(imported).toMatchObject({ name: 'old', spend_cap: '5.00', is_new: true, account: 'demo' });
  expect(await json(`keys import ${options}`)).toMatchObject({ is_new: false, id: (imported as { id: string }).id });
  expect(await holderOf(key)).toMatchObject({ accountName: 'demo', keyName: 'old' });
  expect(printed.out).not.toContain(key);
  expect(await cli(`keys import --account demo --name old --secret ${key}`)).toBe(2);
  expect(printed.err).toContain('Pass --secret -');
  expect(await cli('keys import --account demo --name old')).toBe(2);
});

test('keys import reads a file line by line, and names the lines that it refuses', async () => {
  await cli('accounts create demo');
  const newApi = 'a1B2'.repeat(12);
  const lines = [
    { account: 'demo', name: 'one', secret: newApi, scheme: 'new-api', models: ['acme-*'] },
    { account: 'demo', name: 'two', secret: 'sk-of-another-gateway' },
    { account: 'demo', name: 'three', secret: 'short' },
    { account: 'missing', name: 'four', secret: 'sk-of-a-missing-account' },
  ];
  const file = join(folder, 'keys.jsonl');
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n{"secret":"sk-broken-line\n`);
  expect(await cli(`keys import --file ${file}`)).toBe(1);
  process.exitCode = 0;
  expect(printed.out).toContain('2 keys were imported, 0 existed before, 3 were refused.');
  expect(printed.out).toMatch(/Line 3 was refused: .*`secret` must have 8 to 512 printable ASCII characters/);
  expect(printed.out).toMatch(/Line 4 was refused: .*missing/);
  expect(printed.out).toContain('Line 6 was refused: The line is not a JSON object.');
  expect(printed.out + printed.err).not.toMatch(/sk-of|sk-broken|a1B2a1B2/);
  expect(await holderOf(`sk-${newApi}`)).toMatchObject({ keyName: 'one', models: ['acme-*'] });
  expect(await holderOf(`sk-${newApi}-7`)).toBeUndefined();
  expect(await holderOf('sk-of-another-gateway')).toMatchObject({ keyName: 'two' });
});

test('every command prints one document with --json', async () => {
  const account = await json('accounts create demo');
  expect(account).toMatchObject({ name: 'demo', package_name: 'standard', status: 'active', credit: null });
  const key = (await json('keys create --account demo --name laptop')) as Record<string, unknown>;
  expect(key).toMatchObject({ account: 'demo', secret: expect.stringMatching(/^gwk_live_/), expires_at: null });
  expect(new Date(String(key.created_at)).getTime()).toBeGreaterThan(0);
  const { secret: _, ...shown } = key;
  expect(await json('keys show laptop')).toEqual(shown);
  expect(await json('keys list --account demo')).toEqual([shown]);
  expect(await json('accounts list')).toEqual([account]);
  expect(await json('accounts show demo')).toMatchObject({ name: 'demo', keys: [{ name: 'laptop' }] });
  expect(await json('keys revoke laptop')).toMatchObject({ revoked_at: expect.any(String) });
  expect(await json('requests list')).toEqual([]);
});

test('--json may stand before or after the command', async () => {
  await cli('--json accounts list');
  expect(printed.out).toBe('[]\n');
});

test('keys revoke reports the result, also the second time', async () => {
  await cli('accounts create demo');
  await cli('keys create --account demo --name laptop');
  expect(await cli('keys revoke laptop')).toBe(0);
  expect(printed.out).toContain('is revoked');
  expect(await cli('keys revoke laptop')).toBe(0);
  expect(printed.out).toContain('was already revoked');
});

test('keys rotate prints the new secret once and the expiry of the old key', async () => {
  await cli('accounts create demo');
  const old = (await json('keys create --account demo --name laptop --models acme-* --spend-cap 2.5')) as Document;
  expect(old).toMatchObject({ spend_cap: '2.50', rotated_from: null });
  const rotated = (await json('keys rotate laptop --grace 24h')) as Document;
  expect(rotated).toMatchObject({
    name: 'laptop',
    models: ['acme-*'],
    spend_cap: '2.50',
    rotated_from: old.id,
    old: { id: old.id, revoked_at: null, expires_at: expect.any(String) },
  });
  expect(await holderOf(String(rotated.secret))).toMatchObject({
    keyName: 'laptop',
    limits: [{ scope: 'key', amount: 2_500_000_000n }],
  });
  expect(await holderOf(String(old.secret))).toMatchObject({ keyId: old.id });
  expect(await cli('keys rotate laptop --grace now')).toBe(1);
  expect(printed.err).toContain('"laptop" matches 2 keys.');
  expect(await cli(`keys rotate ${String(rotated.id)} --grace now`)).toBe(0);
  expect(printed.out).toContain('is revoked');
  expect(await holderOf(String(rotated.secret))).toBeUndefined();
  expect(await cli(`keys rotate ${String(rotated.id)} --grace now`)).toBe(1);
  expect(await cli('keys show laptop')).toBe(1);
  expect(printed.err).toMatch(/"laptop" matches 2 keys[^"]*$/);
  expect(printed.err.split('matches').at(-1)).not.toContain(String(rotated.id));
});

test('accounts show prints the same figures of the balance with and without --json', async () => {
  await cli('accounts create ahead --credit 5.00');
  const money = (await json('accounts show ahead')) as { balance: Document };
  expect(money.balance).toMatchObject({ total: '5.00', spendable: '5.00', open_amount: '0.00', reserved: '0.00' });
  await cli('accounts show ahead');
  expect(printed.out).toMatch(/balance +5\.00\n *spendable +5\.00\n/);
  await cli('accounts create later --postpaid --limit 100/month');
  expect(await cli(`accounts credit later --as adjust --reason usage --data ${data} -- -12.5`)).toBe(0);
  const owed = (await json('accounts show later')) as { balance: Document };
  expect(owed.balance).toMatchObject({ total: '-12.50', spendable: null, open_amount: '12.50' });
  await cli('accounts show later');
  expect(printed.out).toMatch(/balance +-12\.50\n *open amount +12\.50\n *spendable +up to its limits\n/);
});

test('a name of several keys means the only active one', async () => {
  await cli('accounts create demo');
  await cli('keys create --account demo --name laptop');
  const { id } = (await json('keys rotate laptop --grace now')) as Document;
  expect(await json('keys show laptop')).toMatchObject({ id });
});

test('accounts suspend and resume change the status', async () => {
  await cli('accounts create demo');
  await cli('accounts suspend demo');
  expect(await json('accounts show demo')).toMatchObject({ status: 'suspended' });
  await cli('accounts resume demo');
  expect(await json('accounts show demo')).toMatchObject({ status: 'active' });
});

test('every change by command is in the audit log, without secrets', async () => {
  await cli('accounts create demo --credit 5.00');
  await cli('keys create --account demo --name laptop --json');
  const { secret } = JSON.parse(printed.out.slice(printed.out.indexOf('{'))) as { secret: string };
  await cli('accounts credit demo 1.00 --reason gift --reference r1');
  await cli('accounts credit demo 1.00 --reason gift --reference r1');
  await cli('keys rotate laptop --grace now');
  await cli('keys revoke laptop --terminate-streams');
  await cli('accounts suspend demo');
  const store = await openStore({ data });
  const lines = await store.db.selectFrom('audit').selectAll().orderBy('id').execute();
  await store.close();
  const actions = ['createAccount', 'createKey', 'creditAccount', 'rotateKey', 'terminateKey', 'suspendAccount'];
  expect(lines.map(({ action }) => action)).toEqual(actions);
  expect(lines.every(({ actor }) => actor === 'cli')).toBe(true);
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(JSON.parse(lines.at(-1)?.after ?? '')).toMatchObject({ status: 'suspended' });
});

test('an ambiguous key name is rejected with the ids', async () => {
  await cli('accounts create demo');
  const ids = [
    ((await json('keys create --account demo --name laptop')) as { id: string }).id,
    ((await json('keys create --account demo --name laptop')) as { id: string }).id,
  ];
  expect(await cli('keys revoke laptop')).toBe(1);
  for (const id of ids) expect(printed.err).toContain(id);
});

test.each([
  ['accounts show stranger', 1, 'There is no account "stranger".\n`chat-gateway accounts list` shows them.'],
  ['keys show nothing', 1, 'There is no key "nothing".\n`chat-gateway keys list` shows them.'],
  ['requests show nothing', 1, 'x-gateway-request-id'],
  ['keys create --account stranger --name x', 1, 'There is no account "stranger".'],
  ['keys create --name x', 2, '--account'],
  ['keys create --account demo --name x --expires soon', 2, 'must be a duration'],
  ['keys create --account demo --name x --models a,,b', 2, '`models[1]` must '],
  ['keys create --account demo --name x --spend-cap 1e3', 2, '`spend_cap` must be '],
  ['keys rotate laptop', 2, '--grace'],
  ['keys rotate laptop --grace soon', 2, 'a duration such as 1h'],
  ['requests list --limit many', 2, '--limit "many" must be a whole number from 1 to 10000.'],
  ['requests list --status 9xx', 2, 'Allowed choices are 2xx'],
  ['requests list --since yesterday', 2, '"yesterday" is not a time.'],
  ['requests list --until 2026-13-01', 2, '"2026-13-01" is not a time.'],
  ['requests list --order shortest', 2, 'Allowed choices are newest'],
  [
    'requests list --order slowest --after r1',
    2,
    '--after works with --order newest and oldest only, not with slowest.',
  ],
  ['requests list --after nothing', 1, 'There is no request "nothing" in '],
  ['usage --account stranger', 1, 'There is no account "stranger".'],
  [
    'usage --by week',
    2,
    'Allowed choices are hour, day, model, key, account, member, user, tag, upstream, status, error',
  ],

  ['accounts lst', 2, 'Did you mean list?'],
  ['keys list --acount demo', 2, 'Did you mean --account?'],
])('%s exits with %i and prints the error', async (line, status, text) => {
  await cli('accounts create demo');
  await cli('keys create --account demo --name laptop');
  expect(await cli(line)).toBe(status);
  expect(printed.err).toContain(text);
});

test('an error is one JSON document with --json', async () => {
  expect(await cli('accounts show stranger --json')).toBe(1);
  const error = {
    message: 'There is no account "stranger".',
    next: '`chat-gateway accounts list` shows them.',
    reason: 'account_not_found',
    params: { account: 'stranger' },
  };
  expect(JSON.parse(printed.err)).toEqual({ error });
});

test('a mistyped account is rejected with the closest name', async () => {
  await cli('accounts create demo');
  expect(await cli('accounts show dmeo --json')).toBe(1);
  expect(JSON.parse(printed.err)).toMatchObject({
    error: { next: 'Did you mean `demo`?', reason: 'account_not_found', params: { account: 'dmeo', closest: 'demo' } },
  });
});

test('an account name that begins with a dash is rejected', async () => {
  expect(await runLine(['accounts', 'create', '--data', data, '--', '-dash'])).toBe(2);
  expect(printed.err).toContain('must begin with');
});

test('a credit that billing rejects is reported with the reason of billing', async () => {
  await cli('accounts create demo');
  const words = ['accounts', 'credit', 'demo', '--reason', 'x', '--as', 'adjust', '--json'];
  expect(await runLine([...words, '--data', data, '--', '-5'])).toBe(1);
  const message = '`amount` is more than the account has available.';
  expect(JSON.parse(printed.err)).toEqual({
    error: {
      message,
      next: null,
      reason: 'invalid_fields',
      params: {},
      problems: [{ field: 'amount', reason: 'above_available', params: {} }],
    },
  });
});

test('accounts create rejects an existing name', async () => {
  await cli('accounts create demo');
  expect(await cli('accounts create demo')).toBe(1);
  expect(printed.err).toContain('`name` is taken by another account.');
});

test('accounts create rejects an unknown package if the store has packages', async () => {
  const store = await openStore({ data });
  const row = {
    kind: 'package' as const,
    name: 'premium',
    source: 'file' as const,
    spec: '{}',
    position: 0,
    updated_at: 0,
  };
  await store.db.insertInto('resources').values(row).execute();
  await store.close();
  expect(await cli('accounts create demo --package premum')).toBe(1);
  expect(printed.err).toContain('Did you mean `premium`?');
  expect(await cli('accounts create demo --package premium')).toBe(0);
});

test('commands use the store of a configuration file that has errors in other settings', async () => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(
    file,
    'data: ./elsewhere\nlisten: { host: 0.0.0.0, port: 9000 }\nupstreams: [{ api_key: "${NOT_SET}" }]\n',
  );
  expect(await runLine(['accounts', 'create', 'demo', '--config', file])).toBe(0);
  expect(await runLine(['keys', 'create', '--account', 'demo', '--name', 'x', '--config', file])).toBe(0);
  expect(printed.out).toContain('http://localhost:9000/v1/');
  const store = await openStore({ data: join(folder, 'elsewhere') });
  expect(await accounts(store, systemClock).list()).toHaveLength(1);
  await store.close();
});

test('an unusable configuration file is reported with the next step', async () => {
  const file = join(folder, 'gateway.yaml');
  expect(await runLine(['keys', 'list', '--config', file])).toBe(1);
  expect(printed.err).toContain('cannot be read');
  writeFileSync(file, 'data: ${NOT_SET_ANYWHERE}\n');
  expect(await runLine(['keys', 'list', '--config', file])).toBe(1);
  expect(printed.err).toContain(`chat-gateway check ${file}`);
});

test('only commands that need the secret fail if it is not set here', async () => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, 'secret: ${NOT_SET_ANYWHERE}\n');
  expect(await runLine(['accounts', 'create', 'demo', '--config', file])).toBe(0);
  expect(await runLine(['keys', 'list', '--config', file])).toBe(0);
  expect(await runLine(['keys', 'create', '--account', 'demo', '--name', 'x', '--config', file])).toBe(1);
  expect(printed.err).toContain('`secret` in');
});

test('keys create uses the configured secret', async () => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, `data: ./data\nsecret: ${'s'.repeat(32)}\n`);
  await runLine(['accounts', 'create', 'demo', '--config', file]);
  await runLine(['keys', 'create', '--account', 'demo', '--name', 'x', '--config', file]);
  const [secret] = /gwk_live_\w{38}/.exec(printed.out) ?? [];
  expect(await holderOf(secret!, 's'.repeat(32))).toMatchObject({ keyName: 'x' });
});

test('requests show explains a request on one page', async () => {
  await logRequest({
    id: 'r1',
    errorCase: 'overloaded',
    status: 503,
    attemptCount: 2,
    notes: ['acme (large): upstream-timeout'],
  });
  expect(await cli('requests show r1')).toBe(0);
  for (const text of [
    '503 overloaded',
    'over capacity',
    'after 2 attempts',
    'acme (large): upstream-timeout',
    '10 in',
  ]) {
    expect(printed.out).toContain(text);
  }
});

test('requests show prints the error detail that the client received', async () => {
  const refused = {
    status: 400,
    errorCase: 'invalid-request',
    requestedModel: '',
    model: undefined,
    upstream: undefined,
  };
  await logRequest({ id: 'r1', ...refused, errorDetail: 'temperature must be a number from 0 to 2.' });
  expect(await cli('requests show r1')).toBe(0);
  expect(printed.out).not.toContain('not found');
  expect(printed.out).toContain('400 invalid-request: temperature must be a number from 0 to 2.');
  expect(await json('requests show r1')).toMatchObject({ error_detail: 'temperature must be a number from 0 to 2.' });
});

test('requests show and usage print the fix for clients that wanted one body and got a stream', async () => {
  await cli('accounts create demo');
  const { id: accountId } = (await json('accounts show demo')) as { id: string };
  const { id } = (await json('keys create --account demo --name agent')) as { id: string };
  const asked = { accountId, keyId: id, startedAt: Date.now(), requestedWhole: true };
  await logRequest({ id: 'r1', ...asked, unwantedStream: true });
  await logRequest({ id: 'r2', ...asked });
  expect(await cli('requests show r1')).toBe(0);
  expect(printed.out).toContain(`keys change ${id} --honour-stream-false`);
  expect(await json('requests show r1')).toMatchObject({ requested_whole: true, unwanted_stream: true });
  expect(await cli('requests show r2')).toBe(0);
  expect(printed.out).not.toContain('honour-stream-false');
  expect(await cli('usage')).toBe(0);
  expect(printed.out).toContain('1 request asked for one JSON body and got a stream');
  expect(await cli('usage --by key')).toBe(0);
  expect(printed.out).toContain(`keys change ${id} --honour-stream-false`);
  expect(await json('usage --by key')).toMatchObject({ lines: [{ group: id, unwanted_streams: 1 }] });
  expect(await json(`keys change ${id} --honour-stream-false`)).toMatchObject({ id, honour_stream_false: true });
  expect(await json(`keys show ${id}`)).toMatchObject({ honour_stream_false: true });
  expect(await json(`keys change ${id} --no-honour-stream-false`)).toMatchObject({ honour_stream_false: false });
  expect(await cli(`keys change ${id}`)).toBe(2);
});

test('commands set whether the answers of a key contain their charge', async () => {
  await cli('accounts create demo');
  const { id } = (await json('keys create --account demo --name agent --report-cost')) as { id: string };
  expect(await json(`keys show ${id}`)).toMatchObject({ report_cost: true });
  expect(await json(`keys change ${id} --no-report-cost`)).toMatchObject({ report_cost: false });
  expect(await json(`keys change ${id} --report-cost`)).toMatchObject({ id, report_cost: true });
});

test('a key stores bodies only if the file allows it, and commands list and delete them', async () => {
  const file = join(folder, 'gateway.yaml');
  const run = (line: string) => runLine([...line.split(' '), '--config', file]);
  writeFileSync(file, 'data: ./data\n');
  await run('accounts create demo');
  expect(await run('keys create --account demo --name laptop --store-bodies')).toBe(2);
  expect(printed.err).toContain('stored_bodies');
  writeFileSync(file, 'data: ./data\nstored_bodies: {}\n');
  expect(await run('keys create --account demo --name laptop --store-bodies')).toBe(0);
  expect(printed.out).toContain('stored, encrypted');
  expect(await run('keys change laptop --no-store-bodies')).toBe(0);
  expect(printed.out).toContain('not stored');
  expect(await run('bodies list')).toBe(0);
  expect(await run('bodies delete --key laptop')).toBe(0);
  expect(printed.out).toMatch(/No bodies are stored\.\n.*No bodies were stored\./s);
  expect(await run('bodies delete')).toBe(2);
});

test('requests show draws the timeline to scale and breaks down the cost', async () => {
  const price = priceOf({ input: '1', output: '2' });
  await withStoreOf((store) => rememberPrices(store, [price]));
  const attempts = [
    {
      upstream: 'acme',
      model: 'large',
      waitMs: 250,
      beganMs: 250,
      endedMs: 500,
      status: 429,
      errorCase: 'upstream-failed',
      reason: 'answered 429',
      position: 7,
    },
    { upstream: 'beta', model: 'xl', waitMs: 0, beganMs: 500, firstEventMs: 750, endedMs: 1000, status: 200 },
  ];
  const record = { startedAt: 1000, attempts, durationMs: 1000, queuePosition: 7, waitMs: 250, attemptCount: 2 };
  await logRequest({ id: 'r1', ...record, cost: 20_000n, priceVersion: price.version });
  expect(await cli('requests show chatcmpl-r1')).toBe(0);
  expect(printed.out.slice(printed.out.indexOf('Timeline'))).toMatchInlineSnapshot(`
    "Timeline
    queued        ░░░░░░░░░░······························      250 ms  for a slot at acme, 7 ahead of it
    acme (large)  ··········░░░░░░░░░░····················      250 ms  429, upstream-failed, answered 429
    beta (xl)     ····················░░░░░░░░░░··········      250 ms  200, first byte 750 ms after the start
    answer        ······························██████████      250 ms  complete
                  0                                  1.0 s

    Cost at price p_7cf243c4029c
    TOKENS           COUNT     PER MILLION          AMOUNT
    input               10            1.00         0.00001
    output               5            2.00         0.00001
    total                                          0.00002
    "
  `);
  expect(await json('requests show r1')).toMatchObject({
    id: 'r1',
    attempts: [{ position: 7 }, { first_event_ms: 750 }],
  });
});

test('requests show draws the wait of a request that timed out in the queue', async () => {
  const record = { startedAt: 1000, attempts: [], durationMs: 1000, queuePosition: 7, waitMs: 900, attemptCount: 0 };
  await logRequest({ id: 'r1', ...record, status: 503, errorCase: 'overloaded' });
  expect(await cli('requests show r1')).toBe(0);
  const drawn = printed.out.slice(printed.out.indexOf('Timeline')).split('\n');
  expect(drawn.slice(1, 3)).toEqual([
    `in the gateway  ${'░'.repeat(4)}${'·'.repeat(36)}      100 ms  503, no provider was called`,
    `queued          ${'·'.repeat(4)}${'░'.repeat(36)}      900 ms  for a slot, timed out, 7 ahead of it`,
  ]);
});

test('requests show explains a request of a crashed process from the ledger', async () => {
  await cli('accounts create demo --credit 1');
  const { id: accountId } = (await json('accounts show demo')) as { id: string };
  const requestId = '20261101080000000abcdefghij';
  const names = { requestId, accountId, keyId: 'key_1', processId: 'p', priceVersion: 'p_1' };
  const how = { held: 0n, cost: 5n, by: 'recovery', reason: 'charged up to its last checkpoint', at: 0 } as const;
  await withStoreOf(async (store) => void (await store.commit(settleCharges, [{ ...names, ...how }])));
  printed.out = '';
  expect(await cli(`requests show ${requestId}`)).toBe(0);
  for (const text of [
    'ended while the response was streaming',
    '0.000000005',
    'recovery',
    'charged up to',
    '2026-11-01',
  ]) {
    expect(printed.out).toContain(text);
  }
  expect(await json(`requests show msg_${requestId}`)).toMatchObject({ state: 'recovered', account: 'demo' });
});

test('requests list filters by user, error and model, and sorts by duration', async () => {
  await logRequest({ id: 'r1', userId: 'u1' });
  await logRequest({ id: 'r2', errorCase: 'overloaded', status: 503, durationMs: 5000 });
  expect(await json('requests list --order slowest')).toMatchObject([{ id: 'r2' }, { id: 'r1' }]);
  expect(await json('requests list --order fastest --limit 1')).toMatchObject([{ id: 'r1' }]);
  expect(await json('requests list --user u1')).toMatchObject([{ id: 'r1' }]);
  expect(await json('requests list --errors --since 1h')).toMatchObject([{ id: 'r2' }]);
  expect(await json('requests list --model acme-2026 --limit 1')).toHaveLength(1);
  await cli('requests list');
  expect(printed.out).toContain('503 overloaded');
});

test('requests list filters by time, site and status, page by page', async () => {
  for (const minute of [1, 2, 3]) {
    await logRequest({
      id: `r${minute}`,
      startedAt: Date.UTC(2026, 10, 1, 8, minute),
      site: `s${minute}`,
      status: 200,
    });
  }
  await logRequest({ id: 'r4', startedAt: Date.UTC(2026, 10, 2), status: 499, clientGone: true });
  const ids = async (options: string) =>
    ((await json(`requests list ${options}`)) as { id: string }[]).map(({ id }) => id).join(' ');
  expect(await ids('--site s2')).toBe('r2');
  expect(await ids('--status 4xx')).toBe('r4');
  expect(await ids('--since 2026-11-01T08:02Z --until 2026-11-02')).toBe('r3 r2');
  expect(await ids('--limit 2')).toBe('r4 r3');
  expect(await ids('--limit 2 --after r3')).toBe('r2 r1');
  printed.out = '';
  await cli('requests list --limit 2');
  expect(printed.out).toContain('--after r3');
  await cli('requests list --limit 9 --after r1');
  expect(printed.out).toContain('No matching requests');
});

test('usage prints a table with a total, or one document', async () => {
  await cli('accounts create demo');
  const { id } = (await json('accounts show demo')) as { id: string };
  const startedAt = Date.UTC(2026, 10, 1, 8);
  await logRequest({ id: 'r1', startedAt, accountId: id, cost: 1_500_000_000n, priceVersion: 'p1' });
  await logRequest({ id: 'r2', startedAt, accountId: id, cost: 250_000_000n, model: 'other', promptTokens: 5000 });
  await logRequest({ id: 'r3', startedAt, errorCase: 'overloaded', status: 503 });
  printed.out = '';
  expect(await cli('usage --account demo --from 2026-11-01 --to 2026-11-02 --by model')).toBe(0);
  expect(printed.out).toMatch(/acme-2026 +1 +0 +10 +0 +5 +1\.50 +20 ms\nother +1 +0 +5,000 +0 +5 +0\.25 +20 ms/);
  expect(printed.out).toMatch(/total +2 +0 +5,010 +0 +10 +1\.75 +20 ms/);
  expect(await json('usage --from 2026-11-01 --to 2026-11-02')).toMatchObject({
    account: null,
    by: 'day',
    lines: [{ group: '2026-11-01T00:00:00.000Z', requests: 3, errors: 1, cost: '1.75' }],
    total: { requests: 3, prompt_tokens: 5020, first_byte_ms: 60 },
  });
  expect(await cli('usage --account demo --from 2026-11-01 --to 2026-11-02 --by status')).toBe(0);
  expect(printed.out).toMatch(/200 +2 +0 +5,010 +0 +10 +1\.75 +0\.00 +0\.00\ntotal +2/);
  expect(await json('usage --from 2026-11-01 --to 2026-11-02 --by error')).toMatchObject({
    lines: [
      { kind: 'none', requests: 2, cost: '1.75' },
      { kind: 'value', value: 'overloaded', requests: 1, errors: 1 },
    ],
    total: { requests: 3, cost: '1.75', margin: '0.00' },
  });
  expect(await json('usage --from 2026-11-01 --to 2026-11-02 --by key')).toMatchObject({ lines: expect.any(Array) });
  expect(await json('usage --from 2026-11-01 --to 2026-11-02 --by user')).toMatchObject({
    lines: [{ kind: 'none', account_name: null, requests: 2 }],
  });
  printed.out = '';
  await cli('usage --from 1h');
  expect(printed.out).toContain('No usage');
  await cli('requests show r1');
  expect(printed.out).toContain('1.50, at price p1');
});

test('control characters from clients do not reach the terminal', async () => {
  await logRequest({ id: 'r1', model: undefined, requestedModel: '\u001b[2Jevil\nmodel' });
  await cli('requests list');
  await cli('requests show r1');
  expect(printed.out).toContain('evil');
  expect(printed.out).not.toContain('\u001b[2J');
  expect(printed.out).not.toContain('evil\nmodel');
});

type Document = Record<string, unknown>;

function cli(line: string): Promise<number> {
  return runLine([...line.split(' '), ...(line.includes(' -- ') ? [] : ['--data', data])]);
}

function runLine(words: readonly string[]): Promise<number> {
  return runCommandLine(
    ['node', 'chat-gateway', ...words],
    [registerAccounts, registerKeys, registerRequests, registerBodies, registerUsage, registerLedger],
  );
}

async function json(line: string): Promise<unknown> {
  printed.out = '';
  expect(await cli(`${line} --json`)).toBe(0);
  return JSON.parse(printed.out);
}

async function holderOf(secret: string, pepperSecret?: string) {
  const store = await openStore({ data });
  const pepper = await openPepper(store, { data, secret: pepperSecret });
  const ring = new KeyRing({ store, pepper, clock: systemClock, feed: changeFeed(store, { clock: systemClock }) });
  const holder = await ring.holder(secret);
  await store.close();
  return holder;
}

async function withStoreOf(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore({ data });
  await work(store);
  await store.close();
}

async function logRequest(fields: Parameters<typeof recordWith>[0]): Promise<void> {
  const store = await openStore({ data });
  const log = requestLog({ store, onDropped: () => undefined });
  log.write(recordWith({ startedAt: systemClock.now(), ...fields }));
  await log.stop();
  await store.close();
}
