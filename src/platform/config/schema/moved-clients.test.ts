import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyHeader, productFields } from './moved-clients.ts';

const page = readFileSync(new URL('../../../../docs/moving.md', import.meta.url), 'utf8');

test('the page about moving clients lists every key header, and the fields of every product', () => {
  for (const name of keyHeader.options) expect(page).toContain(`| \`${name}\` |`);
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (`.*`) \|$/gm)].map(([, product = '', fields = '']) => [
    product,
    [...fields.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  ]);
  expect(Object.fromEntries(rows)).toMatchObject(productFields);
});
