import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oneApiOptions, oneApiRows, oneApiSchema } from '../fixtures/one-api-database.ts';
import { fillSqlite } from '../fixtures/source-tables.ts';
import type { ImportPlan } from '../plan.ts';
import { importOneApi } from './one-api.ts';
import { plannedImport } from '../../../test/planned-import.ts';

let folder: string;
let plan: ImportPlan;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-one-api-'));
  fillSqlite(join(folder, 'one-api.db'), oneApiSchema, oneApiRows);
  plan = await planOf([]);
});
afterAll(() => rm(folder, { recursive: true }));

function planOf(texts: readonly string[]): Promise<ImportPlan> {
  const documents = texts.map((text, index) => ({ name: `reply-${index}.json`, text }));
  return plannedImport(importOneApi, { database: join(folder, 'one-api.db'), documents });
}

test('quota is converted by the value of a unit, rounded down, and users marked as deleted are left out', () => {
  expect(plan.accounts.map(({ name, balance }) => [name, balance])).toEqual([
    ['root', 1_666_666_666n],
    ['alice', 3_333_343_333n],
  ]);
  expect(plan.keys.find(({ name }) => name === 'limited')).toMatchObject({
    models: ['gpt-4o', 'qwen-plus'],
    spendCap: 1_666_666_666n + 3_333n,
    spent: 3_333n,
  });
  expect(plan.findings.filter(({ code }) => code === 'quota_rounded').length).toBeGreaterThan(0);
});

test('subnets become the addresses of a key', () => {
  expect(plan.keys.find(({ name }) => name === 'office')?.addresses).toEqual(['198.51.100.0/24', '2001:db8::/32']);
});

test('channel types are those of one-api', () => {
  const upstreams = plan.upstreams.map(({ spec: { name, ...spec } }) => [name, spec]);
  expect(Object.fromEntries(upstreams)).toEqual({
    compatible: { kind: 'openai', base_url: 'https://llm.example/v1' },
    ali: { kind: 'qwen' },
    aws: { kind: 'bedrock', region: 'us-west-2' },
    vertex: { kind: 'vertex', project: 'acme-project', location: 'us-east5' },
    azure: { kind: 'azure', base_url: 'https://acme.openai.azure.com/openai/v1' },
    custom: { kind: 'openai', base_url: 'https://custom.example/v1' },
    cloudflare: { kind: 'openai', base_url: 'https://api.cloudflare.com/client/v4/accounts/acc0unt/ai/v1' },
    proxy: { kind: 'openai', base_url: 'https://unknown.invalid/v1', enabled: false },
  });
});

test('a price is the ratio of the channel with the highest price, and a completion ratio that is compiled in is reported', () => {
  const models = Object.fromEntries(plan.models.map(({ spec }) => [spec.id, spec]));
  // A ratio of 1 is 1,000,000 / 300,000 per million tokens.
  expect(models['gpt-4o']?.price).toEqual({ input: '4.166667', output: '16.666667' });
  expect(models['llama3']?.price).toEqual({ input: '1.111112', output: '3.333334' });
  expect(models['qwen-plus']).toMatchObject({
    routes: [
      { upstream: 'ali', priority: 0 },
      { upstream: 'compatible', priority: 1, weight: 1 },
    ],
    price: { input: '0.333334', output: '0.333334' },
  });
  expect(models['@cf/meta/llama-3-8b-instruct']?.price).toEqual({ input: '0.00', output: '0.00' });
  expect(models['claude-3-opus-20240229']).toBeUndefined();
  const codes = (id: string) => plan.findings.filter(({ subject }) => subject.sourceId === id).map(({ code }) => code);
  expect(codes('gpt-4o')).toContain('completion_price_assumed');
  expect(codes('llama3')).not.toContain('completion_price_assumed');
  expect(codes('qwen-plus')).toContain('prices_differ');
  expect(codes('claude-3-opus-20240229')).toEqual(['price_missing']);
});

test('the options of the running instance complete those of the database', async () => {
  const complete = await planOf([oneApiOptions]);
  const models = Object.fromEntries(complete.models.map(({ spec }) => [spec.id, spec]));
  expect(models['claude-3-opus-20240229']?.price).toEqual({ input: '25.00', output: '125.00' });
  expect(models['gpt-4.1']).toMatchObject({ routes: [{ upstream: 'azure', model: 'gpt-41' }] });
});

test('a document that is no reply of the product is refused', async () => {
  await expect(planOf(['{"data": []}'])).rejects.toThrow('reply-0.json has no prices.');
});

test('an option or a mapping that is no JSON object is a finding', async () => {
  const data = [
    { key: 'GroupRatio', value: '{"vip":' },
    { key: 'ModelRatio', value: '[1]' },
    { key: 'GroupGroupRatio', value: ' ' },
  ];
  const { findings } = await planOf([JSON.stringify({ data })]);
  const fields = findings.flatMap(({ code, params }) => (code === 'json_unreadable' ? [params['field']] : []));
  expect(fields).toEqual(['GroupRatio', 'ModelRatio']);
});
