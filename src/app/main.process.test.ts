import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  for (const file of ['../cli/serve/serve.ts', 'main.ts']) await import(${JSON.stringify(`${import.meta.dirname}/`)} + file);
  console.log(JSON.stringify(loaded));`;

test('the server does not load optional packages when it starts', () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const loaded = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
  expect(loaded).toContain(`file://${join(import.meta.dirname, 'main.ts')}`);
  const packages = new Set(loaded.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
  const heavy = ['better-auth', '@better-auth/passkey', 'gpt-tokenizer', 'pg'];
  expect(heavy.filter((name) => packages.has(name))).toEqual([]);
});
