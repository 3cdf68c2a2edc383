import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorTable } from 'chat-formats/error-table.ts';
import { errorDocs, errorDocsFile } from './error-docs.ts';

test('docs/errors.md matches the error table', () => {
  expect(readFileSync(errorDocsFile, 'utf8'), 'run: node scripts/error-docs.ts').toBe(errorDocs());
});

test.for(Object.entries(errorTable))('the case %s is documented with its condition and its remedy', ([, row]) => {
  const code = row.code === '' ? '(empty)' : `\`${row.code}\``;
  const line = `| ${row.status} | ${code} | \`${row.type}\` | ${row.when} | ${row.remedy} |`;
  expect(readFileSync(errorDocsFile, 'utf8').split('\n')).toContain(line);
});

test('every documented case exists', () => {
  const rows = readFileSync(errorDocsFile, 'utf8').match(/^\| \d{3} \|/gm);
  expect(rows).toHaveLength(Object.keys(errorTable).length);
});
