import { expect, test } from 'vitest';
import { camelCased } from './camel-case.ts';

test('names are converted at every depth, and values stay the same', () => {
  expect(camelCased({ a_b: [{ cache_write_5m: 'x_y', plain: null }], c: { d_e_f: 1 } })).toEqual({
    aB: [{ cacheWrite5m: 'x_y', plain: null }],
    c: { dEF: 1 },
  });
});
