import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logDocs, logDocsFile } from './log-docs.ts';

test('docs/logs.md matches the tables; `node scripts/log-docs.ts` writes it', () => {
  expect(readFileSync(logDocsFile, 'utf8')).toBe(logDocs());
});
