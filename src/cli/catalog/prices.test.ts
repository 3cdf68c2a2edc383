import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putStore } from '../../../test/stores/made-store.ts';
import { auditLines } from '../../manage/admin/api/audit.ts';
import { applyFile } from '../../money/catalog/apply-file.ts';
import { resourcesOf } from '../../platform/config/schema/resource.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openStore, type Store } from '../../platform/store/store.ts';
import { runCommandLine } from '../command-line.ts';
import { registerModels } from './models.ts';
import { registerPrices } from './prices.ts';
import { registerUpstreams } from './upstreams.ts';

let folder: string;
let printed: { out: string; err: string };

const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/price-lists/${name}`, import.meta.url));
const modelsDev = fixture('models-dev.json');
const liteLlm = fixture('litellm.json');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
  await putStore(join(folder, 'data'));
  printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed.out += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed.err += `${line}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed.err += String(text))));
  await cli('upstreams add --preset openai');
  await cli('upstreams add --preset google');
  printed.out = '';
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('an import without --apply shows the changes and writes nothing', async () => {
  await cli('models add-known openai gpt-4o gpt-4o-mini o1 gpt-5');
  await cli('models add-known google gemini-2.5-pro');
  const before = await json('models list');
  printed.out = '';
  expect(await cli(`prices import ${modelsDev}`)).toBe(0);
  for (const line of [
    /^gpt-4o +input +2.50 +2.00 +-20.0 % +models-dev.json openai\/gpt-4o, 2026-10-01$/m,
    /^gpt-4o-mini +input +0.15 +1.50 \+900.0 % +held back: ten times dearer or cheaper/m,
    /cached_input, prompt over 200000 +0.25 +0.10 +-60.0 %/,
    /If they are right, pass --accept gpt-4o-mini/,
    /o1: input is negative/,
    /3 models with other prices in the list, 0 unchanged, 1 not in the list/,
    /Nothing was changed. Run the command again with --apply to change the prices of 2 models/,
  ]) {
    expect(printed.out.replaceAll(/  +\+/g, ' +')).toMatch(line);
  }
  expect(await cli(`prices import ${modelsDev} --dry-run`)).toBe(0);
  expect(await json('models list')).toEqual(before);
});

test('--apply writes all changes that are not held back, with one audit log entry', async () => {
  await cli('models add-known openai gpt-4o gpt-4o-mini');
  await cli('models add-known google gemini-2.5-pro');
  expect(await cli(`prices import ${modelsDev} --apply`)).toBe(0);
  expect(printed.out).toContain('Changed the prices of 2 models. Running gateways apply this within a second.');
  expect(await priceOf('gpt-4o')).toEqual({
    input: '2.00',
    cached_input: '1.25',
    output: '8.00',
    source: 'models-dev.json openai/gpt-4o, 2026-10-01',
  });
  expect(await priceOf('gpt-4o-mini')).toMatchObject({ input: '0.15' });
  expect(await priceOf('gemini-2.5-pro')).toMatchObject({
    tiers: [{ when: { prompt_over: 200_000 }, input: '2.50', cached_input: '0.10', output: '15.00' }],
  });
  const [line] = await withStore((store) => auditLines(store, { action: 'changePrices', limit: 10 }));
  expect(line).toMatchObject({ actor: 'cli', kind: 'model', id: '2 models' });
  expect(JSON.stringify(line?.before)).toContain('"model":"gpt-4o","price":{"input":"2.50"');
  expect(JSON.stringify(line?.after)).toContain('models-dev.json openai/gpt-4o, 2026-10-01');
  // A second import has nothing left to write.
  expect(await json(`prices import ${modelsDev} --apply`)).toMatchObject({ applied: false });
});

test('prices list shows the source and the day of each price', async () => {
  await cli('models add-known google gemini-2.5-pro');
  await cli('models add mine --route openai:gpt-4o --input 2 --output 8');
  await cli('models add gift --route openai:gpt-4o --free');
  printed.out = '';
  expect(await cli('prices list')).toBe(0);
  expect(printed.out).toMatch(/^gemini-2.5-pro +1.25 +10.00 +1 +table of chat-gateway, 20\d\d-\d\d-\d\d$/m);
  expect(printed.out).toMatch(/^gift +free +free$/m);
  expect(printed.out).toMatch(/^mine +2 +8$/m);
  expect(await json('prices list')).toMatchObject([
    { model: 'gemini-2.5-pro', price: { source: expect.any(String) } },
    { model: 'mine', price: { input: '2', output: '8' } },
    { model: 'gift', price: 'free' },
  ]);
});

test('--accept writes a held-back change, and --model leaves out all other models', async () => {
  await cli('models add-known openai gpt-4o gpt-4o-mini o1');
  expect(await cli(`prices import ${modelsDev} --apply --accept gpt-4o-mini,o1 --model gpt-4o-mini --model o1`)).toBe(
    0,
  );
  expect(await priceOf('gpt-4o-mini')).toMatchObject({ input: '1.50' });
  expect(await priceOf('gpt-4o')).toMatchObject({ input: '2.50' });
  // A negative price is never right.
  expect(await priceOf('o1')).toMatchObject({ input: '15.00' });
});

test('--json prints the matching entries, the changes and their status', async () => {
  await cli('models add openai-large --route openai:openai/gpt-4o-2024-08-06 --input 2 --output 8');
  expect(await json(`prices import ${liteLlm}`)).toMatchObject({
    file: 'litellm.json',
    file_date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    form: 'litellm',
    applied: false,
    models: [
      {
        model: 'openai-large',
        status: 'changed',
        in_file: false,
        written: false,
        source: { provider: 'openai', name: 'gpt-4o', date: null, context_window: 128_000 },
        changes: [
          { kind: 'input', before: '2.00', after: '2.50', percent: '+25.0 %', hold: null },
          { kind: 'cached_input', before: '2.00', after: '1.25' },
          { kind: 'output', before: '8.00', after: '10.00' },
        ],
        price: { input: '2.50', cached_input: '1.25', output: '10.00' },
      },
    ],
  });
});

test('a model with several prices needs --provider', async () => {
  await cli('upstreams add --preset ollama');
  await cli('models add large --route ollama:gpt-4o --input 2 --output 8');
  expect(await cli(`prices import ${liteLlm} --apply`)).toBe(0);
  expect(printed.out).toContain('large: several prices. Choose one with --provider: openai (gpt-4o), azure');
  expect(await priceOf('large')).toEqual({ input: '2', output: '8' });
  expect(await cli(`prices import ${liteLlm} --apply --provider openai`)).toBe(0);
  expect(await priceOf('large')).toMatchObject({ input: '2.50', output: '10.00' });
  expect(await cli(`prices import ${liteLlm} --provider opnai`)).toBe(2);
  expect(printed.err).toContain('Name one of its providers: azure, gemini, one of the providers, openai');
});

test('a model of the configuration file is shown with its line and never changed', async () => {
  const file = join(folder, 'gateway.yaml');
  const models = [
    { id: 'filed', routes: [{ upstream: 'openai', model: 'gpt-4o' }], price: { input: '2.50', output: '10' } },
  ];
  writeFileSync(
    file,
    [
      'models:',
      '  - id: filed',
      '    routes: [{ upstream: openai, model: gpt-4o }]',
      '    price: { input: "2.50", output: "10" }',
      '',
    ].join('\n'),
  );
  await withStore((store) => applyFile(store, resourcesOf({ models }), systemClock));
  expect(await cli(`prices import ${modelsDev} --apply --config ${file}`)).toBe(0);
  expect(printed.out).toContain(
    `filed (${file}:4)\n    price: { input: "2.00", cached_input: "1.25", output: "8.00" }\n`,
  );
  expect(printed.out).toContain('Nothing was changed.');
  expect(await priceOf('filed')).toMatchObject({ input: '2.50' });
});

test('a file that is no price list, and a gateway with another currency, are refused', async () => {
  const other = join(folder, 'other.json');
  writeFileSync(other, '{"prices": []}');
  expect(await cli(`prices import ${other}`)).toBe(1);
  expect(printed.err).toContain('is not a price list.');
  expect(await cli(`prices import ${join(folder, 'missing.json')}`)).toBe(1);
  expect(printed.err).toContain('The price list cannot be read');
  expect(await cli(`prices import ${modelsDev} --model nope`)).toBe(1);
  expect(printed.err).toContain('There is no model `nope`.');
  expect(await cli(`prices import ${modelsDev} --dry-run --apply`)).toBe(2);
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, 'currency: CNY\n');
  expect(await cli(`prices import ${modelsDev} --config ${file}`)).toBe(1);
  expect(printed.err).toContain('Price lists are in USD, but the currency of this gateway is CNY.');
});

test('the example of the documentation prints what the documentation shows', async () => {
  const docs = readFileSync(new URL('../../../docs/prices.md', import.meta.url), 'utf8');
  const [, shown] = /## Price lists[^]*?```text\n([^]*?)```/.exec(docs) ?? [];
  copyFileSync(modelsDev, join(folder, 'api.json'));
  await cli('models add-known openai gpt-4o gpt-4o-mini');
  await cli('models add-known google gemini-2.5-pro');
  printed.out = '';
  expect(await cli(`prices import ${join(folder, 'api.json')}`)).toBe(0);
  expect(printed.out).toBe(shown);
});

function cli(line: string): Promise<number> {
  const words = [...line.split(' '), '--data', join(folder, 'data')];
  return runCommandLine(['node', 'chat-gateway', ...words], [registerModels, registerUpstreams, registerPrices]);
}

async function json(line: string): Promise<unknown> {
  printed.out = '';
  expect(await cli(`${line} --json`)).toBe(0);
  return JSON.parse(printed.out);
}

async function priceOf(model: string): Promise<unknown> {
  return ((await json(`models show ${model}`)) as { spec: { price: unknown } }).spec.price;
}

async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({ data: join(folder, 'data') });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
