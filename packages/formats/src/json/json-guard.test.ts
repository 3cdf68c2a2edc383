import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJson } from './safe-json.ts';
import { inspectJson } from './json-guard.ts';

const harmlessVerdicts = ['fine', 'long-number'];
const limits = { depthMax: 64, tokensMax: 200_000 };

function inspect(text: string, given: { depthMax?: number; tokensMax?: number } = {}) {
  return inspectJson(text, { ...limits, ...given });
}

/** Values without names that contain a backslash. */
function harmless(maxDepth: number): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth }).filter((value) => !namesIn(value).some((name) => name.includes('\\')));
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...namesIn(one)]);
}

test('the scan accepts every text within the limits that JSON.parse accepts', () => {
  fc.assert(
    fc.property(harmless(8), (value) => {
      expect(harmlessVerdicts).toContain(inspect(JSON.stringify(value)));
    }),
  );
});

test.each([
  ['{"a":[1234567890123456789]}', 'long-number'],
  ['[-9223372036854775808]', 'long-number'],
  ['[1234567890123456]', 'long-number'],
  ['[123456789012345]', 'fine'],
  ['[0.1234567890123456789]', 'fine'],
  ['[1e1234567890123456, 1234567890123456789]', 'number-out-of-range'],
  ['["1234567890123456789"]', 'fine'],
  ['[truetruetruetruetrue]', 'fine'],
])('the scan reports integers that may have more digits than a double: %s is %s', (text, verdict) => {
  expect(inspect(text)).toBe(verdict);
});

test('whitespace does not change the verdict', () => {
  fc.assert(
    fc.property(harmless(4), (value) => {
      const tokens = countTokens(value);
      const text = JSON.stringify(value, null, '\t\r\n ');
      expect(harmlessVerdicts).toContain(inspect(text, { tokensMax: tokens }));
      expect(inspect(text, { tokensMax: tokens - 1 })).toBe('too-many-tokens');
    }),
  );
});

test('the scan skips strings of any content and length', () => {
  const pieces = fc.constantFrom('\\', '"', '\\\\', '\\"', '[', '{', 'a', 'é', '\n', 'x'.repeat(63), '"'.repeat(70));
  const strings = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(strings, { maxLength: 5 }), (values) => {
      expect(inspect(JSON.stringify(values), { depthMax: 1, tokensMax: values.length + 1 })).toBe('fine');
      expect(inspect(JSON.stringify(values), { tokensMax: values.length })).toBe('too-many-tokens');
    }),
  );
});

test('the scan returns a verdict for any text', () => {
  const verdicts = [...harmlessVerdicts, 'too-deep', 'too-many-tokens', 'number-out-of-range'];
  const alphabet = fc.constantFrom(...Buffer.from('"\\[]{},: \n-0129eE.+xtrue\0'), 0xff);
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 500 }), fc.array(alphabet, { maxLength: 500 })), (bytes) => {
      expect(verdicts).toContain(inspectJson(Buffer.from(bytes).toString('latin1'), limits));
    }),
  );
});

test('the scan allows nesting up to the limit', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(inspect(nested(64))).toBe('fine');
  expect(inspect(nested(65))).toBe('too-deep');
  expect(inspect(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`)).toBe('fine');
  expect(inspect(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).toBe('too-deep');
  expect(inspect('[[],[],{}]'.repeat(10_000), { depthMax: 2 })).toBe('fine');
});

test('a number is out of range exactly if it would become infinite', () => {
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,330})$/);
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,320}$/));
  const exponent = fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/));
  fc.assert(
    fc.property(fc.tuple(digits, fraction, exponent), (parts) => {
      const text = parts.join('');
      const expected = Number.isFinite(JSON.parse(text)) ? harmlessVerdicts : ['number-out-of-range'];
      expect(expected).toContain(inspect(`{"a":[${text}, 1]}`));
    }),
  );
});

test.each(['1e308', '-1.7976931348623157e308', '1e-400', '0e999', '12345678901234567890', '1E+002'])(
  '%s is fine',
  (number) => {
    expect(harmlessVerdicts).toContain(inspect(number));
  },
);

test.each(['1e309', '-1e400', '1e+0400', '17976931348623159e292', '0.001e400'])('%s is out of range', (number) => {
  expect(inspect(`[${number}]`)).toBe('number-out-of-range');
});

test('the scan leaves words that are not numbers to the parser', () => {
  for (const word of ['Infinity', 'NaN', 'true', 'e999', '1e', '--1e999']) expect(inspect(word)).toBe('fine');
});

/** Values and names, as the limit counts them. */
function countTokens(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countTokens(one), 1);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + countTokens(one), 1);
}

test.each(['{"a\\\\": 1}', '{"\\\\":1}', '{"x": {"a\\u005cb" :1}}', '[{"a\\u005C"\n:1}]', '{"\\u540d\\\\": 1}'])(
  'the scan finds a name that contains a backslash: %s',
  (text) => {
    expect(isJson(text)).toBe(true);
    expect(inspect(text)).toBe('backslash-in-name');
  },
);

test.each(['{"a": "\\\\"}', '["\\\\", "b"]', '{"\\u540d": 1, "\\n\\"": "\\\\"}', '{"a": "\\\\: \\":"}'])(
  'the scan accepts a backslash outside names: %s',
  (text) => {
    expect(isJson(text)).toBe(true);
    expect(inspect(text)).toBe('fine');
  },
);
