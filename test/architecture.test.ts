import { expect, test } from 'vitest';
import { importViolations, sourceFiles } from '../scripts/import-direction.ts';

test('imports only go down the floors of the house', () => {
  const files = sourceFiles('src');
  expect(files.length).toBeGreaterThan(50);
  expect(importViolations(files)).toEqual([]);
});

test('an import that goes up is found', () => {
  const wrong = { path: 'upstreams/x.ts', text: "import { y } from '../accounts/y.ts';" };
  expect(importViolations([wrong])).toHaveLength(1);
});

test('a floor that knows how the whole is put together is found', () => {
  const wrong = { path: 'surfaces/x.ts', text: "import type { Gateway } from '../gateway/gateway.ts';" };
  expect(importViolations([wrong])).toHaveLength(1);
});

test('a surface that reaches around inference is found', () => {
  const wrong = { path: 'surfaces/x.ts', text: "import type { Upstream } from '../upstreams/upstream.ts';" };
  expect(importViolations([wrong])).toHaveLength(1);
});

test('a dialect that touches the outside world is found', () => {
  const wrong = { path: 'dialects/chat/x.ts', text: "import { readFileSync } from 'node:fs';" };
  expect(importViolations([wrong])).toHaveLength(1);
});
