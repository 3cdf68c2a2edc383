import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'gateway-lazy-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script in its own process and returns the packages that it loaded. */
async function packagesLoadedBy(script: string): Promise<readonly string[]> {
  const watched = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const found = /node_modules\\/((?:@[\\w-]+\\/)?[\\w-]+)\\/(?!.*node_modules)|\\/(packages\\/(?!formats|figures)\\w+)\\//.exec(url);
        if (found) loaded.add(found[1] ?? found[2]);
        return next(url, context);
      },
    });
    ${script}
    if (process.moduleLoadList.some((name) => name.includes('undici'))) loaded.add('fetch');
    console.log(JSON.stringify([...loaded]));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', watched], {
    cwd: join(import.meta.dirname, '..'),
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[];
}

const src = (path: string): string => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);

/** Starts a gateway with these upstreams and returns the optional packages that it loaded. */
async function packagesLoadedWith(upstreams: readonly Record<string, unknown>[]): Promise<readonly string[]> {
  const loaded = await packagesLoadedBy(`
    const { parseConfig } = await import(${src('platform/config/load.ts')});
    const { knownKinds } = await import(${src('serving/upstreams/providers/presets.ts')});
    const { startGateway } = await import(${src('app/main.ts')});
    const { stringify } = await import('yaml');
    const text = stringify({ listen: { port: 0 }, log: { level: 'silent' }, upstreams: ${JSON.stringify(upstreams)} });
    const parsed = parseConfig(text, { env: {}, fileName: ${JSON.stringify(join(folder, 'g.yaml'))}, kinds: knownKinds });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const gateway = await startGateway(parsed, { env: {} });
    await gateway.stop({ graceMs: 0 });
  `);
  return loaded.filter((name) =>
    /^(@?better-auth|@opentelemetry|pg|gpt-tokenizer|ajv|pdfkit|wawoff2|fetch|packages)\b/.test(name),
  );
}

test('a gateway with built-in upstreams loads no package for providers, sign-in or traces, and not Node’s fetch', async () => {
  const upstreams = [
    { name: 'a', kind: 'simulated' },
    { name: 'b', kind: 'deepseek', api_key: 'k' },
    { name: 'c', kind: 'bedrock', region: 'us-east-1', api_key: 'k' },
  ];
  expect(await packagesLoadedWith(upstreams)).toEqual([]);
});

test.each([
  ['accounts', []],
  ['import', ['packages/import']],
])('the command `%s` loads %j of the readers of other gateways and their cipher', async (name, expected) => {
  const loaded = await packagesLoadedBy(`await (await import(${src('cli/program.ts')})).run(['${name}', '--help']);`);
  expect(loaded.filter((each) => /^(packages|@noble)/.test(each))).toEqual(expected);
});

test('the store thread loads no query builder', async () => {
  const modules = [
    'app/store-jobs.ts',
    'platform/store/sqlite/sqlite-database.ts',
    'platform/store/sqlite/sqlite-jobs.ts',
    'platform/store/thread/thread-orders.ts',
  ];
  expect(await packagesLoadedBy(modules.map((module) => `await import(${src(module)});`).join('\n'))).toEqual([
    'lru-cache',
  ]);
});
