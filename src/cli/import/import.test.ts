import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command, type CommandOutcome } from '../../../test/gateways/command.ts';
import { litellmHash, litellmSchema, sealedGcm } from 'chat-gateway-import/fixtures/litellm-source.ts';
import { fillSqlite, type SourceRows } from 'chat-gateway-import/fixtures/source-tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-import-'));
});
afterEach(() => {
  delete process.env['OLD_SALT_KEY'];
  rmSync(folder, { recursive: true });
});

const saltKey = 'sk-salt-of-this-test';
const params = (model: string) => ({
  model: sealedGcm(model, saltKey),
  api_key: sealedGcm('sk-provider-canary', saltKey),
});
const rows: SourceRows = {
  LiteLLM_TeamTable: [
    { team_id: 't', team_alias: 'red', max_budget: 10, budget_duration: '30d', spend: 2.5, models: [] },
    { team_id: 'b', team_alias: 'blocked', blocked: true, models: [] },
    { team_id: 'f', team_alias: 'full', max_budget: 3, spend: 3.5, models: [] },
    { team_id: 'm', team_alias: 'members', members_with_roles: [{ role: 'user', user_id: 'ann' }], models: [] },
  ],
  LiteLLM_UserTable: [{ user_id: 'ann', user_email: 'ann@example.com', teams: ['m'] }],
  LiteLLM_BudgetTable: [{ budget_id: 'b', max_budget: 2, budget_duration: '30d' }],
  LiteLLM_TeamMembership: [{ user_id: 'ann', team_id: 'm', budget_id: 'b', spend: 2 }],
  LiteLLM_ProxyModelTable: [
    { model_id: 'm', model_name: 'fast', litellm_params: params('openai/gpt-4o'), model_info: {} },
  ],
  LiteLLM_VerificationToken: [
    { token: litellmHash('sk-good-key-canary'), key_alias: 'good', team_id: 't', spend: 1.25 },
    { token: litellmHash('sk-late-key-canary'), key_alias: 'late', team_id: 't', expires: new Date('2026-01-01') },
    { token: litellmHash('sk-lost-key-canary'), key_alias: 'lost', team_id: 't', models: ['never-heard-of'] },
    { token: litellmHash('sk-team-off-canary'), key_alias: 'team off', team_id: 'b' },
    {
      token: litellmHash('sk-spent-canary'),
      key_alias: 'spent',
      team_id: 't',
      max_budget: 0.5,
      budget_duration: '30d',
      spend: 0.5,
    },
    { token: litellmHash('sk-full-team-canary'), key_alias: 'team full', team_id: 'f' },
    { token: litellmHash('sk-full-member-canary'), key_alias: 'member full', team_id: 'm', user_id: 'ann', spend: 9 },
  ],
};

async function imported(...words: readonly string[]): Promise<CommandOutcome> {
  const done = await command('import', 'litellm', join(folder, 'litellm.db'), '--data', join(folder, 'data'), ...words);
  expect(done.out + done.err).not.toMatch(/canary|sk-salt/);
  return done;
}

test('a plan shows accounts, keys, findings and sums, and changes nothing', async () => {
  fillSqlite(join(folder, 'litellm.db'), litellmSchema, rows);
  process.env['OLD_SALT_KEY'] = saltKey;
  const shown = await imported('--salt-key-env', 'OLD_SALT_KEY');
  expect(shown).toMatchObject({ status: 0, err: '' });
  expect(shown.out).toMatch(/red +postpaid +litellm +2\.50 of 10\.00 \(month\)/);
  // The spend of all teams and of the member: that of their keys is part of it.
  expect(shown.out).toMatch(/spend +15\.00 +0\.00 +15\.00/);
  expect(shown.out).toContain('Nothing was changed.');
  expect(JSON.parse((await command('accounts', 'list', '--json', '--data', join(folder, 'data'))).out)).toMatchObject(
    [],
  );
});

test('an applied import can be repeated, and reports nothing but unchanged items', async () => {
  fillSqlite(join(folder, 'litellm.db'), litellmSchema, rows);
  process.env['OLD_SALT_KEY'] = saltKey;
  const first = JSON.parse((await imported('--apply', '--json', '--salt-key-env', 'OLD_SALT_KEY')).out);
  expect(first).toMatchObject({ applied: true, sums: { spend: { left_out: '0.00' } } });
  expect(first.sums.spend.source).toBe(first.sums.spend.booked);
  const second = JSON.parse((await imported('--apply', '--json', '--salt-key-env', 'OLD_SALT_KEY')).out);
  const outcomes = ['accounts', 'keys', 'packages', 'upstreams', 'models'].flatMap((section) =>
    second[section].map((item: { outcome: string }) => item.outcome),
  );
  expect(new Set(outcomes)).toEqual(new Set(['unchanged']));
  const verified = await command('ledger', 'verify', '--data', join(folder, 'data'));
  expect(verified.status).toBe(0);
});

test('a rehearsal answers every key once, and names the reason for each that would fail', async () => {
  fillSqlite(join(folder, 'litellm.db'), litellmSchema, rows);
  process.env['OLD_SALT_KEY'] = saltKey;
  const tried = await imported('--rehearse', '--json', '--salt-key-env', 'OLD_SALT_KEY');
  const { keys, answered, failed } = JSON.parse(tried.out);
  const failures = Object.fromEntries(
    keys.map(({ name, failure }: { name: string; failure: string | null }) => [name, failure]),
  );
  expect(failures).toEqual({
    good: null,
    late: 'it expired at 2026-01-01T00:00:00.000Z',
    lost: 'no imported model matches never-heard-of',
    'team off': expect.stringMatching(/^its account blocked .* created suspended$/),
    spent: 'its budget is reached: 0.50 of 0.50 (month)',
    'team full': 'the limit of full is reached: 3.50 of 3.00 (total)',
    'member full': 'the limit of ann@example.com is reached: 2.00 of 2.00 (month)',
  });
  expect({ answered, failed, status: tried.status }).toEqual({ answered: 1, failed: 6, status: 1 });
  expect(keys.map(({ status }: { status: number }) => status).sort()).toEqual([0, 200, 401, 401, 402, 402, 402]);
  expect(keys[0]).toMatchObject({ model: 'fast', stand_in: true, status: 200 });
});

test('without the salt key, a rehearsal says that disabled upstreams serve the models', async () => {
  const credentials = {
    credential_name: 'c',
    credential_values: { api_key: sealedGcm('sk-provider-canary', saltKey) },
  };
  const model = {
    model_id: 'm',
    model_name: 'fast',
    litellm_params: { model: 'openai/gpt-4o', litellm_credential_name: 'c' },
  };
  fillSqlite(join(folder, 'litellm.db'), litellmSchema, {
    ...rows,
    LiteLLM_ProxyModelTable: [model],
    LiteLLM_CredentialsTable: [credentials],
  });
  const tried = JSON.parse((await imported('--rehearse', '--json')).out);
  expect(tried.keys[0]).toMatchObject({
    name: 'good',
    failure: 'its models are served only by disabled upstreams: openai',
  });
});

test('a source that is no LiteLLM database is refused with the next step', async () => {
  fillSqlite(join(folder, 'litellm.db'), { other: { id: 'text' } }, {});
  expect(await imported()).toMatchObject({
    status: 1,
    err: expect.stringContaining('has no table LiteLLM_VerificationToken'),
  });
  writeFileSync(join(folder, 'litellm.db'), 'x');
  expect(await imported('--salt-key-env', 'NOT_SET_HERE')).toMatchObject({
    status: 2,
    err: expect.stringContaining('NOT_SET_HERE is not set'),
  });
});
