import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logDocs, logDocsFile } from './log-docs.ts';

test('docs/logs.md says what the tables say; `node scripts/log-docs.ts` writes it', () => {
  expect(readFileSync(logDocsFile, 'utf8')).toBe(logDocs());
});
