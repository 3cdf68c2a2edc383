import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { registerCheck } from './check.ts';
import { runCommandLine } from './command-line.ts';

let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-check-'));
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const valid = `upstreams: [{ name: local, kind: ollama }]
models: [{ id: llama, routes: [{ upstream: local }], price: free }]
`;

test('check reports a valid file as ok and lists its entries', async () => {
  expect(await check(valid)).toBe(0);
  expect(printed).toMatch(/^ok .*gateway.yaml\n/);
  expect(printed).toMatch(/upstreams\s+1\s+local/);
  expect(printed).toMatch(/models\s+1\s+llama/);
});

test('check prints every problem with its line and fix, and exits with 1', async () => {
  expect(await check(valid.replace('ollama', 'olama').replace('free', 'cheap'))).toBe(1);
  expect(printed).toContain('gateway.yaml:1:34: upstreams[0].kind `olama` is not a kind of upstream');
  expect(printed).toContain('= fix: Did you mean `ollama`?');
  expect(printed).toContain('gateway.yaml has 2 problems.');
});

test('check --json prints one document', async () => {
  expect(await check(valid, '--json')).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ ok: true, problems: [], upstreams: 1, models: 1, sites: 1 });
  printed = '';
  expect(await check('listen: { port: x }', '--json')).toBe(1);
  expect(JSON.parse(printed)).toEqual({
    ok: false,
    problems: [
      {
        line: 1,
        column: 17,
        path: 'listen.port',
        message: 'must be a whole number',
        params: {},
        reason: 'not_a_whole_number',
        fix: 'Write a whole number from 0 to 65535.',
      },
    ],
  });
});

test('check warns about a file without models or without upstreams', async () => {
  expect(await check('# upstreams:\n')).toBe(0);
  expect(printed).toMatch(
    /^ok [^]*warning .*gateway\.yaml has no `upstreams`[^]*warning .*gateway\.yaml has no `models`/,
  );
  printed = '';
  expect(await check(valid.split('\n')[0]!, '--json')).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ ok: true, warnings: [expect.stringContaining('no `models`')] });
  printed = '';
  expect(await check(valid, '--json')).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ ok: true, warnings: [] });
});

test('check reports a missing file as a problem', async () => {
  expect(await run(join(folder, 'nowhere.yaml'))).toBe(1);
  expect(printed).toContain('cannot be read');
});

function check(text: string, ...options: string[]): Promise<number> {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, text);
  return run(file, ...options);
}

function run(...words: string[]): Promise<number> {
  return runCommandLine(['node', 'chat-gateway', 'check', ...words], [registerCheck]);
}
