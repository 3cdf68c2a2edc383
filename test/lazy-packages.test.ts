import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'gateway-lazy-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a gateway with these upstreams in a process of its own and says which provider packages that process loaded. */
async function packagesLoadedWith(upstreams: readonly Record<string, unknown>[]): Promise<readonly string[]> {
  const src = (path: string): string => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const found = /node_modules\\/(?:@ai-sdk\\/([\\w-]+)\\/dist|(@?better-auth|@prometheus-io|@opentelemetry)\\/)/.exec(url);
        if (found) loaded.add(found[1] ?? found[2]);
        return next(url, context);
      },
    });
    const { parseConfig } = await import(${src('config/load.ts')});
    const { knownKinds } = await import(${src('upstreams/presets.ts')});
    const { startGateway } = await import(${src('main.ts')});
    const { stringify } = await import('yaml');
    const text = stringify({ listen: { port: 0 }, log: { level: 'silent' }, upstreams: ${JSON.stringify(upstreams)} });
    const parsed = parseConfig(text, { env: {}, fileName: ${JSON.stringify(join(folder, 'g.yaml'))}, kinds: knownKinds });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const gateway = await startGateway(parsed, { env: {} });
    for (const kind of ${JSON.stringify(upstreams.map(({ kind }) => kind))}) {
      const { bridgeKind } = await import(${src('upstreams/ai-sdk/kinds.ts')});
      await bridgeKind(kind)?.load({});
    }
    await gateway.stop({ graceMs: 0 });
    console.log(JSON.stringify([...loaded]));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '..'),
  });
  return JSON.parse(stdout) as string[];
}

test('a gateway without such an upstream loads no provider package, nor what signs people in, nor what writes metrics and traces', async () => {
  const upstreams = [
    { name: 'a', kind: 'simulated' },
    { name: 'b', kind: 'deepseek', api_key: 'k' },
  ];
  expect(await packagesLoadedWith(upstreams)).toEqual([]);
});

test('a gateway with one loads that one and what it is made of', async () => {
  const loaded = await packagesLoadedWith([{ name: 'c', kind: 'cohere', api_key: 'k' }]);
  expect(loaded).toContain('cohere');
  for (const other of ['amazon-bedrock', 'google', 'google-vertex', 'azure', 'mistral', 'openai']) {
    expect(loaded).not.toContain(other);
  }
});
