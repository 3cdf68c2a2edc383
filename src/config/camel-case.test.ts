import { expect, test } from 'vitest';
import { camelCased } from './camel-case.ts';

test('names change at every depth, values never', () => {
  expect(camelCased({ a_b: [{ cache_write_5m: 'x_y', plain: null }], c: { d_e_f: 1 } })).toEqual({
    aB: [{ cacheWrite5m: 'x_y', plain: null }],
    c: { dEF: 1 },
  });
});
