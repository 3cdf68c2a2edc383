import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { recordWith } from '../../../test/fixtures/requests/record.ts';
import { putStore } from '../../../test/stores/made-store.ts';
import { applyFile } from '../../money/catalog/apply-file.ts';
import { defaultConfig } from '../../platform/config/defaults.ts';
import { systemClock } from '../../core/time/clock.ts';
import { storingRequests } from '../../money/requests/request-writer.ts';
import { openStore } from '../../platform/store/store.ts';
import { runCommandLine } from '../command-line.ts';
import { registerModels } from './models.ts';
import { registerPackages } from './packages.ts';
import { registerSites } from './sites.ts';
import { registerUpstreams } from './upstreams.ts';

let folder: string;
let printed: { out: string; err: string };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
  await putStore(join(folder, 'data'));
  printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed.out += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed.err += `${line}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed.err += String(text))));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('list on an empty store prints the command that adds a first entry', async () => {
  for (const noun of ['models', 'upstreams', 'packages', 'sites']) {
    expect(await cli(`${noun} list`)).toBe(0);
    expect(printed.out).toContain(`Add one: chat-gateway ${noun} add`);
  }
});

test('an upstream from a preset reads its key from the variable of the preset, which the output names', async () => {
  expect(await cli('upstreams add --preset deepseek')).toBe(0);
  expect(printed.out).toContain('Start the gateway with these variables set: DEEPSEEK_API_KEY.');
  expect(await json('upstreams show deepseek')).toMatchObject({
    kind: 'upstream',
    name: 'deepseek',
    source: 'store',
    spec: { name: 'deepseek', kind: 'deepseek', api_key: '${DEEPSEEK_API_KEY}' },
  });
});

test('a preset with several variables uses the one that is set', async () => {
  vi.stubEnv('KIMI_API_KEY', 'sk-canary');
  await cli('upstreams add --preset moonshot --name kimi');
  expect(await json('upstreams show kimi')).toMatchObject({ spec: { api_key: '${KIMI_API_KEY}' } });
});

test('the key of a preset is not used with another base URL', async () => {
  await cli('upstreams add --preset openai --name acme --base-url https://api.acme.example/v1 --max-concurrency 8');
  expect(await json('upstreams show acme')).toMatchObject({
    spec: { name: 'acme', kind: 'openai', base_url: 'https://api.acme.example/v1', max_concurrency: 8 },
  });
  expect(printed.out).not.toContain('api_key');
});

test('upstreams add accepts several references; a literal secret is rejected and not printed', async () => {
  await cli('upstreams add --preset groq --api-key ${A},${B}');
  expect(await json('upstreams show groq')).toMatchObject({ spec: { api_keys: ['${A}', '${B}'] } });
  expect(await cli('upstreams add --preset xai --api-key sk-canary')).toBe(2);
  expect(await cli('upstreams rotate-key groq --api-key ${A},sk-canary')).toBe(2);
  expect(printed.err).toContain('--api-key -');
  expect(printed.err + printed.out).not.toContain('canary');
});

test('rotate-key accepts a reference and names the variable', async () => {
  await cli('upstreams add --preset groq --api-key ${A},${B}');
  expect(await cli('upstreams rotate-key groq --api-key ${C}')).toBe(0);
  expect(printed.out).toContain('Start the gateway with these variables set: C.');
  expect(await json('upstreams show groq')).toMatchObject({ spec: { kind: 'groq', api_key: '${C}' } });
});

test('upstreams add warns about a private address', async () => {
  await cli('upstreams add --preset openai --name public --base-url https://api.acme.example/v1');
  await cli('upstreams add --preset openai --name address --base-url https://1.1.1.1/v1');
  expect(printed.out).not.toContain('egress.allow');
  for (const address of ['http://10.1.2.3/v1', 'http://2130706433/v1', 'http://[::1]/v1', 'http://localhost/v1']) {
    printed.out = '';
    await cli(`upstreams add --preset openai --name x${address.length} --base-url ${address}`);
    expect(printed.out).toContain('egress.allow');
  }
});

test('upstreams presets lists the variables of the keys', async () => {
  await cli('upstreams presets');
  expect(printed.out).toContain('DEEPSEEK_API_KEY');
  expect(await json('upstreams presets')).toContainEqual(
    expect.objectContaining({ name: 'ollama', environment: [], base_url: expect.stringContaining('11434') }),
  );
});

test('a cloud upstream needs its own settings, and its secrets only as references', async () => {
  const line = 'upstreams add --preset bedrock --set region=us-east-1 --set access_key_id=${ID}';
  expect(await cli(`${line} --set secret_access_key=canary`)).toBe(2);
  expect(printed.err).not.toContain('canary');
  expect(await cli('upstreams add --preset bedrock --set colour=red')).toBe(2);
  expect(await cli(`${line} --set secret_access_key=\${SECRET}`)).toBe(0);
  expect(printed.out).toContain('ID, SECRET');
  expect(await json('upstreams show bedrock')).toMatchObject({
    spec: { kind: 'bedrock', region: 'us-east-1', access_key_id: '${ID}', secret_access_key: '${SECRET}' },
  });
  expect(await cli('upstreams add --preset azure --set api_version=2024-10-21')).toBe(1);
  expect(printed.err).toContain('`resource_name` is missing');
});

test('models add stores the options in the format of the configuration file', async () => {
  await cli('upstreams add --preset deepseek');
  await cli('upstreams add --preset ollama');
  const line =
    'models add large-2026 --alias large,l --route deepseek:chat:v3 --route ollama --thinking --context-window 1000 --input 2.50 --output 10 --description 快 --cost deepseek=0.50/2 --cost ollama=free';
  expect(await cli(line)).toBe(0);
  expect(await json('models show large')).toMatchObject({
    spec: {
      id: 'large-2026',
      aliases: ['large', 'l'],
      description: '快',
      context_window: 1000,
      thinking: true,
      routes: [
        { upstream: 'deepseek', model: 'chat:v3', cost: { input: '0.50', output: '2' } },
        { upstream: 'ollama', priority: 1, cost: 'free' },
      ],
      price: { input: '2.50', output: '10' },
    },
  });
  expect(await cli('models add m --route ollama --free --cost deepseek=1/2')).toBe(2);
  expect(printed.err).toContain('--cost names the upstream "deepseek", but no --route uses it.');
  expect(await cli('models add m --route ollama --free --cost ollama=1')).toBe(2);
  printed.out = '';
  await cli('models show large');
  expect(parse(printed.out.slice(printed.out.indexOf('\nid:')))).toMatchObject({ id: 'large-2026' });
  printed.out = '';
  await cli('models list');
  expect(printed.out).toMatch(
    /large-2026\s+large, l\s+anthropic, openai-response, openai\s+deepseek:chat:v3, ollama\s+2.50 \/ 10\s+command/,
  );
});

test('models add stores the constraint options, and models show prints the results', async () => {
  await cli('upstreams add --preset ollama');
  const promises =
    '--guarantee strict=gateway,json=off --json-delivery whole --attempts 3 --paid-by gateway --cache auto';
  expect(await cli(`models add careful --route ollama --free ${promises}`)).toBe(0);
  expect(await json('models show careful')).toMatchObject({
    spec: {
      guarantees: { strict: 'gateway', json: 'off' },
      json_delivery: 'whole',
      tools: { attempts: 3, paid_by: 'gateway' },
      cache: 'auto',
    },
    constraints: {},
  });
  expect(await cli('models add careless --route ollama --free --guarantee strict=maybe')).toBe(1);
  expect(printed.err).toContain('guarantees.strict');
});

test('models list and show print the speed of a model without an exponent', async () => {
  await cli('upstreams add --preset ollama');
  await cli('models add quick --route ollama --free');
  const store = await openStore({ data: join(folder, 'data') });
  const call = {
    upstream: 'ollama',
    model: 'quick',
    waitMs: 10,
    beganMs: 10,
    endedMs: 60,
    firstEventMs: 60,
    status: 200,
  };
  const times = { startedAt: systemClock.now(), attempts: [call], firstByteMs: 60, answeredMs: 2060 };
  await store.commit(storingRequests, [recordWith({ id: 'r1', model: 'quick', completionTokens: 218, ...times })]);
  await store.close();
  for (const line of ['models list', 'models show quick']) {
    printed.out = '';
    await cli(line);
    expect(printed.out).toMatch(/, 1\d\d tok/);
  }
});

test('models add stores fallbacks with their reasons and rejects unknown ones', async () => {
  await cli('upstreams add --preset ollama');
  for (const id of ['small', 'long']) await cli(`models add ${id} --route ollama --free`);
  const fallbacks = '--fallback long=context_overflow+refusal --fallback small';
  expect(await cli(`models add large --route ollama --free ${fallbacks}`)).toBe(0);
  expect(await json('models show large')).toMatchObject({
    spec: { fallbacks: [{ model: 'long', on: ['context_overflow', 'refusal'] }, { model: 'small' }] },
  });
  expect(await cli('models add other --route ollama --free --fallback smal=boredom')).toBe(1);
  expect(printed.err).toContain('`fallbacks[0].on[0]` must be one of `failure`, `context_overflow`, `refusal`.');
  expect(printed.err).toContain('Did you mean `small`?');
});

test('models add-known adds all models or none', async () => {
  await cli('upstreams add --preset ollama');
  expect(await cli('models add-known ollama gpt-4o gpt-4o-audio')).toBe(1);
  expect(printed.err).toContain('No price is known for gpt-4o-audio.');
  expect(await cli('models add-known ollama gpt-4o gpt-4o')).toBe(1);
  expect(printed.err).toContain('gpt-4o: `id` `gpt-4o` is already taken');
  expect(await cli('models add-known ollama gpt-4o openai/gpt-4o-mini')).toBe(0);
  expect(printed.out).toContain('as of 20');
  expect(await json('models show openai/gpt-4o-mini')).toMatchObject({
    spec: { price: { input: '0.15', output: '0.60' }, context_window: 128_000 },
  });
});

test('models add-known adds the prices of long prompts', async () => {
  await cli('upstreams add --preset google');
  expect(await cli('models add-known google gemini-2.5-pro')).toBe(0);
  expect(printed.out).toContain(
    '10.00 out per million tokens (2.50 in, 15.00 out for prompts of more than 200000 tokens)',
  );
  expect(await json('models show gemini-2.5-pro')).toMatchObject({
    spec: {
      price: {
        input: '1.25',
        tiers: [{ when: { prompt_over: 200_000 }, input: '2.50', cached_input: '0.25' }],
        source: expect.stringMatching(/^table of chat-gateway, 20/),
      },
    },
  });
});

test('models add prints all problems at once, with fixes', async () => {
  expect(await cli('models add m --route nowhere --context-window many')).toBe(1);
  for (const text of [
    '`price` is missing',
    '`context_window` must be a whole number',
    'names `nowhere`',
    '`price: free`',
  ]) {
    expect(printed.err).toContain(text);
  }
  expect(await cli('models add m --free')).toBe(2);
  expect(printed.err).toContain('--route');
});

test('sites and packages are added, listed and removed', async () => {
  await cli('sites add partner --domain api.partner.example,*.partner.example --models acme-* --honour-stream-false');
  await cli('sites add agents --domain agents.example --messages-bearer --report-cost');
  expect(await json('sites list')).toMatchObject([
    { name: 'partner', spec: { domains: ['api.partner.example', '*.partner.example'], honour_stream_false: true } },
    { name: 'agents', spec: { messages_bearer: true, report_cost: true } },
  ]);
  expect(await cli('sites remove agents')).toBe(0);
  await cli('packages add gold --weight 4');
  expect(await json('packages list')).toMatchObject([{ name: 'gold', spec: { models: ['*'], weight: 4 } }]);
  expect(await cli('sites remove partner')).toBe(0);
  expect(await json('packages remove gold')).toMatchObject({ name: 'gold' });
  expect([await json('sites list'), await json('packages list')]).toEqual([[], []]);
});

test('remove --if-version rejects a changed entry', async () => {
  await cli('packages add gold --models a');
  const { version } = (await json('packages show gold')) as { version: string };
  expect(await cli('packages remove gold --if-version 0000000000000000')).toBe(1);
  expect(printed.err).toContain('The package gold was changed by cli at ');
  expect(await cli(`packages remove gold --if-version ${version}`)).toBe(0);
});

test('an entry of the configuration file is listed with its source and cannot be removed', async () => {
  const store = await openStore({ data: join(folder, 'data') });
  await applyFile(store, defaultConfig({ directory: folder, env: {} }).resources, systemClock);
  await store.close();
  await cli('models list');
  expect(printed.out).toMatch(/sim-chat-2026-01-01.*file/);
  expect(await cli('models remove sim-chat')).toBe(1);
  expect(printed.err).toContain('is set in the configuration file');
  expect(await cli('upstreams show simulatd')).toBe(1);
  expect(printed.err).toContain('Did you mean `simulated`?');
});

test('an error is one JSON document with --json', async () => {
  expect(await cli('models show nope --json')).toBe(1);
  const hint = '`chat-gateway models list` lists the existing ones.';
  const error = {
    message: `There is no model \`nope\`. ${hint}`,
    next: null,
    reason: 'resource_missing',
    params: { kind: 'model', name: 'nope', hint },
  };
  expect(JSON.parse(printed.err)).toEqual({ error });
});

function cli(line: string): Promise<number> {
  const words = [...line.split(' '), '--data', join(folder, 'data')];
  return runCommandLine(
    ['node', 'chat-gateway', ...words],
    [registerModels, registerUpstreams, registerSites, registerPackages],
  );
}

async function json(line: string): Promise<unknown> {
  printed.out = '';
  expect(await cli(`${line} --json`)).toBe(0);
  return JSON.parse(printed.out);
}
