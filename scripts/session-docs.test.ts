import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { architectureFile, architectureWithTable } from './session-docs.ts';

test('ARCHITECTURE.md has the transitions of the answer session; `node scripts/session-docs.ts` writes them', () => {
  const text = readFileSync(architectureFile, 'utf8');
  expect(text).toBe(architectureWithTable(text));
});
