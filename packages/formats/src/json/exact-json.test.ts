import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactJson, ordinaryJson } from './exact-json.ts';
import { hasBackslashInName } from './safe-json.ts';

test('integers keep their digits when the value is serialised again', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
  fc.assert(
    fc.property(fc.array(digits), digits, (list, one) => {
      const text = `{"list":[${list.join(',')}],"one":{"__proto__":${one}}}`;
      expect(JSON.stringify(exactJson(text))).toBe(text);
      expect(ordinaryJson(exactJson(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('all other values are parsed as usual', () => {
  // The engine parses such a name differently the second time.
  const texts = fc.json().filter((text) => !hasBackslashInName(text));
  fc.assert(
    fc.property(texts, (text) => {
      expect(ordinaryJson(exactJson(text))).toEqual(ordinaryJson(JSON.parse(text)));
    }),
  );
  expect(exactJson('[1.12345678901234567, 9007199254740991, "12345678901234567890"]')).toEqual([
    1.1234567890123457,
    9007199254740991,
    '12345678901234567890',
  ]);
});
