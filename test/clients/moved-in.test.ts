import Anthropic from '@anthropic-ai/sdk';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/main.ts';
import { answer, type FakeProvider, fakeProvider } from '../fakes/fake-provider.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';
import { bifrostStore } from 'chat-gateway-import/fixtures/bifrost-source.ts';
import { litellmHash, litellmSchema, sealedBox, sealedGcm } from 'chat-gateway-import/fixtures/litellm-source.ts';
import { fillPostgres } from 'chat-gateway-import/fixtures/source-tables.ts';
import { freePort } from '../services/free-port.ts';
import { newDatabase } from '../stores/stores.ts';

const run = promisify(execFile);
const oldKey = 'sk-the-old-key-of-a-client-0001';
const secretKey = 'the secret of the old gateway';

/** A product whose data is imported by the commands of its guide. */
interface Move {
  readonly product: 'litellm' | 'bifrost';
  readonly guide: string;
  readonly model: string;
  /** Writes the source into the folder, and returns the environment that the guide asks for. */
  readonly prepare: (folder: string, provider: FakeProvider) => Promise<Readonly<Record<string, string>>>;
}

const moves: readonly Move[] = [
  {
    product: 'litellm',
    guide: 'docs/migrate-litellm.md',
    model: 'fast',
    prepare: async (folder, provider) => {
      const address = await newDatabase('nothing');
      await fillPostgres(address, litellmSchema, {
        LiteLLM_TeamTable: [
          { team_id: 't', team_alias: 'red', max_budget: 100, budget_duration: '30d', spend: 12.5, models: [] },
        ],
        LiteLLM_CredentialsTable: [
          { credential_name: 'main', credential_values: { api_key: sealedBox('sk-provider', secretKey) } },
        ],
        LiteLLM_ProxyModelTable: [
          {
            model_id: 'm',
            model_name: 'fast',
            litellm_params: {
              model: sealedGcm('openai/upstream-model', secretKey),
              api_base: sealedGcm(provider.url, secretKey),
              litellm_credential_name: 'main',
            },
            model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 },
          },
        ],
        LiteLLM_VerificationToken: [
          { token: litellmHash(oldKey), key_alias: 'laptop', team_id: 't', spend: 12.5, max_budget: 20 },
        ],
      });
      writeFileSync(join(folder, 'config.yaml'), 'litellm_settings: {timezone: Europe/Berlin}\n');
      return { LITELLM_DATABASE_URL: address, LITELLM_SALT_KEY: secretKey };
    },
  },
  {
    product: 'bifrost',
    guide: 'docs/migrate-bifrost.md',
    model: 'openai/fast',
    prepare: (folder, provider) => {
      const address = provider.url.replace(/\/v1$/, '');
      bifrostStore(folder, 'plain', [
        `update config_providers set name = 'openai', custom_provider_config_json = null,
         network_config_json = json_object('base_url', '${address}')`,
        `update config_keys set provider = 'openai', value = 'sk-provider', models_json = '["fast"]',
         aliases_json = '{"fast": "upstream-model"}'`,
        `update governance_model_pricing set provider = 'openai', model = 'upstream-model' where model = 'u-7-5'`,
        `delete from governance_virtual_keys where name <> 'client 0'`,
        `update governance_virtual_keys set value = '${oldKey}', value_hash = '${litellmHash(oldKey)}'`,
        `update governance_virtual_key_provider_configs set provider = 'openai'`,
      ]);
      return Promise.resolve({ BIFROST_ENCRYPTION_KEY: secretKey });
    },
  },
];

describe.each(moves)('after the steps of the guide for $product', ({ guide, model, prepare }) => {
  let folder: string;
  let provider: FakeProvider;
  let gateway: Gateway;
  let printed: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-moved-'));
    provider = await fakeProvider();
    provider.respond('upstream-model', answer('Hello from the provider'));
    printed = await followGuide(guide, folder, await prepare(folder, provider));
    const file = readFileSync(join(folder, 'gateway.yaml'), 'utf8').replace(/port: \d+/, 'port: 0');
    gateway = await startGateway(loadedConfig(`${file}log: { level: silent }\n`, folder), { env: {} });
  });
  afterAll(async () => {
    await gateway.stop({ graceMs: 0 });
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = () => `http://127.0.0.1:${gateway.address.port}`;

  test('the commands show the plan, answer the key in the rehearsal, and end with an answer to the old key', () => {
    expect(printed).toContain('Nothing was changed.');
    expect(printed).toContain('1 of 1 keys were answered by simulated providers.');
    expect(printed).toContain('Hello from the provider');
    expect(printed).not.toMatch(/sk-provider|the secret of the old gateway/);
  });

  test('the OpenAI SDK works with the old key', async () => {
    const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: oldKey, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] });
    expect(choices[0]?.message.content).toBe('Hello from the provider');
    const sent = await provider.call('upstream-model').received;
    expect(sent.headers['authorization']).toBe('Bearer sk-provider');
  });

  test('the Anthropic SDK works with the old key', async () => {
    const client = new Anthropic({ baseURL: `${url()}/anthropic`, apiKey: oldKey, authToken: null, maxRetries: 0 });
    const { content } = await client.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(content).toMatchObject([{ type: 'text', text: 'Hello from the provider' }]);
  });

  test('the digest of the old key is not a key', async () => {
    const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: litellmHash(oldKey), maxRetries: 0 });
    await expect(client.models.list()).rejects.toMatchObject({ status: 401 });
  });
});

/** Runs the marked blocks of a guide verbatim, apart from the port. Returns what they print. */
async function followGuide(guide: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const port = String(await freePort());
  const text = readFileSync(guide, 'utf8').replaceAll('8080', port);
  const blocks = [...text.matchAll(/^```\w+ (run|file=\S+)\n([^]*?)^```$/gm)].map(([, mark = '', block = '']) => ({
    mark,
    block,
  }));
  for (const { mark, block } of blocks) {
    if (mark.startsWith('file=')) writeFileSync(join(folder, mark.slice('file='.length)), block);
  }
  const launcher = resolve('bin/chat-gateway.cjs');
  writeFileSync(join(folder, 'chat-gateway'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(join(folder, 'chat-gateway'), 0o755);
  const commands = blocks.filter(({ mark }) => mark === 'run').map(({ block }) => block);
  const script = ['set -m -eu -o pipefail', `trap 'kill $(jobs -p) || true; wait' EXIT`, ...commands].join('\n');
  const path = `${folder}:${process.env['PATH']}`;
  const { stdout, stderr } = await run('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: path, ...env, OLD_KEY: oldKey },
  });
  return stdout + stderr;
}
