import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secretVault } from '../../src/platform/secrets/secret-vault.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { applyPlan, type ImportResult } from '../../src/manage/import/apply-plan.ts';
import { importBifrost } from 'chat-gateway-import/bifrost/import-bifrost.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';
import { eventually } from '../eventually.ts';
import { answer } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import {
  bifrostNow,
  bifrostPassphrase,
  bifrostStore,
  changeBifrost,
} from 'chat-gateway-import/fixtures/bifrost-source.ts';
import { plannedImport } from '../planned-import.ts';

const clock = { ...systemClock, now: () => bifrostNow + Math.floor(performance.now()) };

let folder: string;
let gateway: TestGateway;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-moved-bifrost-'));
  gateway = await startTestGateway((base) => ({ ...base, egress: { allow: ['127.0.0.1'] } }), { clock });
});
afterEach(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

interface Import {
  readonly file: string;
  readonly key?: string | undefined;
  /** Replaces the provider credential that the importer could not open. */
  readonly providerKey?: Secret | undefined;
}

/** Imports into the running gateway, with its provider in place of the one of the source. */
async function imported({ file, key, providerKey }: Import): Promise<ImportResult> {
  const plan = await plannedImport(importBifrost, { database: file, key, now: clock.now() });
  const { store, pepper } = gateway.gateway;
  const upstreams = plan.upstreams.map(({ sourceId, spec: { enabled, ...spec }, secrets }) => ({
    sourceId,
    spec: { ...spec, base_url: gateway.provider.url, ...(!providerKey && enabled === false && { enabled }) },
    secrets: providerKey ? { api_key: providerKey } : secrets,
  }));
  const parts = { store, clock, pepper, vault: secretVault(pepper), kinds: knownKinds };
  return applyPlan({ ...plan, upstreams }, { ...parts, source: 'bifrost:test', operator: 'test' });
}

/** The names of the keys that the gateway answers for a model. */
async function answered(keys: ReadonlyMap<string, string>, model: string): Promise<readonly string[]> {
  const all = await Promise.all(
    [...keys].map(async ([name, secret]) => {
      const { status, text } = await ask(secret, model);
      return status === 200 && !text.includes('"error"') ? [name] : [];
    }),
  );
  return all.flat().sort();
}

function ask(secret: string, model: string) {
  const messages = [{ role: 'user', content: 'hello' }];
  return gateway.post('/v1/chat/completions', { model, messages }, { authorization: `Bearer ${secret}` });
}

/** The keys as their clients have them. */
async function clientKeys(file: string, passphrase?: string): Promise<ReadonlyMap<string, string>> {
  const { keys } = await plannedImport(importBifrost, { database: file, key: passphrase, now: bifrostNow });
  return new Map(keys.map(({ name, secret }) => [name, secret.form === 'sha256' ? '' : secret.value.reveal()]));
}

const refused = ['expired', 'no provider', 'off', 'one model', 'provider cap', 'reached'];

describe.each([
  { title: 'a plain store', form: 'plain' as const, passphrase: undefined, isOpen: true },
  { title: 'an encrypted store', form: 'encrypted' as const, passphrase: bifrostPassphrase, isOpen: true },
  { title: 'an encrypted store without its passphrase', form: 'encrypted' as const, passphrase: bifrostPassphrase },
])('after the import of $title', ({ form, passphrase, isOpen = false }) => {
  test('the keys that Bifrost answers are answered, and no others', async () => {
    const file = bifrostStore(folder, form);
    const keys = await clientKeys(file, passphrase);
    const key = isOpen ? passphrase : undefined;
    const done = await imported({ file, key, providerKey: isOpen ? undefined : new Secret('k') });
    expect(done.sums.spend).toEqual({ source: 4_550_400n, leftOut: 0n, booked: 4_550_400n });
    gateway.provider.respond('u-7-5', answer('Hello there'));
    gateway.provider.respond('u-100-50', answer('Hello there'));
    const of = keys.get('capped') ?? '';
    await eventually(async () => expect((await ask(of, 'old/u-7-5')).status).toBe(200));
    const expected = [...keys.keys()].filter((name) => !refused.includes(name)).sort();
    expect(expected).toHaveLength(keys.size - refused.length);
    expect(await answered(keys, 'old/u-7-5')).toEqual(expected);
    expect(await answered(keys, 'u-100-50')).toEqual(expected.filter((name) => name !== 'blacklist'));
    const sent = await gateway.provider.call('u-7-5').received;
    expect(sent.headers['authorization']).toBe(isOpen ? 'Bearer sk-provider-canary' : 'Bearer k');
  });
});

test('after a rotation in Bifrost, a second import ends the old secret and takes the new one', async () => {
  const file = bifrostStore(folder, 'plain');
  const old = (await clientKeys(file)).get('rotated later') ?? '';
  await imported({ file });
  gateway.provider.respond('u-7-5', answer('Hello there'));
  await eventually(async () => expect((await ask(old, 'u-7-5')).status).toBe(200));
  const rotated = 'sk-bf-00000000-0000-4000-8000-000000000000';
  changeBifrost(file, [`update governance_virtual_keys set value = '${rotated}' where name = 'rotated later'`]);
  const done = await imported({ file });
  expect(done.findings.map(({ code }) => code)).not.toContain('key_exists');
  await eventually(async () => expect((await ask(old, 'u-7-5')).status).toBe(401));
  expect((await ask(rotated, 'u-7-5')).status).toBe(200);
});
