import { expect, test } from 'vitest';
import { cases } from '../../../dashboard/src/strings/cases.ts';
import { errorTable } from '../error-table.ts';
import { rules } from './rules.ts';
import type { Texts } from './text.ts';
import { reasonTexts } from './texts.ts';

const names = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

test.each<[string, Texts]>([
  ['reasons', reasonTexts],
  ['rules', rules],
])('all %s have an English and a Chinese text, and the Chinese text has no parameters of its own', (_, texts) => {
  for (const [code, [english, chinese]] of Object.entries(texts)) {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(english, code).not.toMatch(/[\u4e00-\u9fff]/);
    expect(chinese, code).toMatch(/[\u4e00-\u9fff]/);
    expect(names(english), code).toEqual(expect.arrayContaining([...names(chinese)]));
  }
});

test('the dashboard has a short name for every case that ends a request', () => {
  const steps = new Set(['connection', 'key', 'body', 'model', 'inference']);
  const recorded = Object.entries(errorTable).filter(([, { step }]) => steps.has(step));
  expect(recorded.map(([name]) => name).filter((name) => !(name in cases))).toEqual([]);
});
