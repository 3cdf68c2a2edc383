import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the HTTP layer does not load Node’s fetch, which would use memory as long as the gateway runs', () => {
  const program = `
    await import(${JSON.stringify(join(import.meta.dirname, 'server.ts'))});
    console.log(process.moduleLoadList.filter((name) => name.includes('undici')).length);`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(loaded.trim()).toBe('0');
});
