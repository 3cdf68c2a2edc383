import { afterAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { StartThread, ThreadEvents } from '../../../core/fair-thread.ts';
import { type SchemaAnswer, SchemaWorkerPool, type SchemaWork } from './schema-worker-pool.ts';

const clock = manualClock();
const pool = new SchemaWorkerPool(clock);
afterAll(() => pool.stop());

const where = 'tools[0].function.parameters';
const numbered = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

test.each([
  ['a value that fits passes unchanged', numbered, '{"n": 1}', { words: undefined, json: '{"n": 1}' }],
  ['a certain repair is made', numbered, '{"n": "1"}', { words: '/n must be number', json: '{"n":1}' }],
  ['a missing member is named', numbered, '{}', { words: "must have required property 'n'", json: undefined }],
  ['prose is not JSON', numbered, 'Sure!', { words: expect.stringMatching('not valid JSON: "S" at character 0') }],
  [
    'an older draft is recognised by its name',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'null' }] },
    '[1]',
    {
      words: '/0 must be null',
    },
  ],
  ['an older draft is recognised by its lists', { items: [{ type: 'null' }] }, '[1]', { words: '/0 must be null' }],
  ['the newest draft is the default', { prefixItems: [{ type: 'null' }] }, '[1]', { words: '/0 must be null' }],
  [
    'allowed values are listed',
    { properties: { a: { enum: ['x', 'y'] } } },
    '{"a":"z"}',
    {
      words: '/a must be equal to one of the allowed values: ["x","y"]',
    },
  ],
  [
    'an inherited member does not count',
    { required: ['toString'] },
    '{}',
    {
      words: "must have required property 'toString'",
    },
  ],
])('%s', async (_, schema, text, fitting) => {
  const checked = await pool.checked(schema, where, 'ann');
  expect(await checked.validate(text)).toMatchObject(fitting);
});

const deep = JSON.parse(`${'{"items":'.repeat(70)}{}${'}'.repeat(70)}`);
test.each([
  [
    'a reference to another address',
    { properties: { a: { $ref: 'https://example.com/a.json' } } },
    '#/properties/a/$ref refers',
  ],
  ['a schema that is nested too deep', deep, 'nested deeper than 64'],
  ['a schema that is too long', { description: 'x'.repeat(128 * 1024) }, 'longer than'],
  ['a schema with too many parts', { allOf: Array.from({ length: 4001 }, () => ({})) }, 'more than 4000 parts'],
  [
    'a pattern that can take unlimited time',
    { properties: { a: { pattern: '^(a+)+$' } } },
    'a pattern at #/properties/a repeats',
  ],
  ['a pattern with a back-reference', { patternProperties: { '(a)\\1': {} } }, 'refers back'],
  ['an invalid pattern', { pattern: '(' }, 'Invalid regular expression'],
  ['a schema that refers to itself', { $ref: '#' }, 'refers to itself without end'],
  ['a reference to a missing schema', { $ref: '#/$defs/a' }, "can't resolve reference"],
  ['an invalid schema', { type: 'obejct' }, '/type must match a schema in anyOf'],
])('%s is rejected with an explanation', async (_, schema, words) => {
  const refused = pool.checked(schema, where, 'ann');
  await expect(refused).rejects.toMatchObject({ case: 'invalid-request', detail: expect.stringContaining(where) });
  await expect(refused).rejects.toThrow(words);
});

test('a schema that takes too long is terminated and rejected from then on, without affecting others', async () => {
  const hostile = await pool.checked({ pattern: '^(a|aa)*$' }, where, 'mallory');
  const stuck = hostile.validate(JSON.stringify(`${'a'.repeat(60)}b`));
  const waiting = pool.checked(numbered, where, 'ann').then(({ validate: fit }) => fit('{"n":1}'));
  // No work is before it, so its time limit already runs.
  clock.advance(2100);
  await expect(stuck).rejects.toThrow(/took longer than 20\d\d ms/);
  expect(await waiting).toEqual({ words: undefined, json: '{"n":1}' });
  await expect(pool.checked({ pattern: '^(a|aa)*$' }, where, 'mallory')).rejects.toThrow('took longer');
});

describe('a thread that starts slowly', () => {
  /** Threads that start and answer under the test's control, and accept every schema. */
  function slowThreads() {
    const started: ThreadEvents<SchemaAnswer>[] = [];
    const start: StartThread<SchemaWork, SchemaAnswer> = (events) => {
      started.push(events);
      return { send: () => undefined, end: async () => undefined };
    };
    const time = manualClock();
    return { started, time, slow: new SchemaWorkerPool(time, start), answer: () => started[0]?.answered(harmless) };
  }
  const harmless = { fitting: undefined };

  test('is waited for, and its start does not count against any time limit', async () => {
    const { started, time, slow, answer } = slowThreads();
    const [first, other] = [slow.checked(numbered, where, 'ann'), slow.checked({ type: 'string' }, where, 'bob')];
    time.advance(120_000);
    expect(started).toHaveLength(1);
    started[0]!.ready();
    answer();
    answer();
    await expect(Promise.all([first, other])).resolves.toHaveLength(2);
    expect(time.pending).toBe(0);
  });

  test('and never becomes ready is given up, and all waiting requests fail', async () => {
    const { started, time, slow } = slowThreads();
    const asked = slow.checked(numbered, where, 'ann');
    time.advance(600_000);
    await expect(asked).rejects.toMatchObject({ case: 'overloaded' });
    expect([started.length, time.pending]).toEqual([1, 0]);
  });

  test('makes no request wait longer than the timeout once it is ready', async () => {
    const { started, time, slow, answer } = slowThreads();
    const asked = Array.from({ length: 12 }, (_, each) => slow.checked({ const: each }, where, `party ${each}`));
    const settled = Promise.allSettled(asked);
    time.advance(60_000);
    started[0]!.ready();
    for (let turns = 0; turns < 11; turns += 1) {
      time.advance(1900);
      answer();
    }
    expect((await settled).map(({ status }) => status)).toEqual([
      ...Array(10).fill('fulfilled'),
      'rejected',
      'rejected',
    ]);
    await expect(asked[11]).rejects.toMatchObject({ case: 'overloaded' });
  });
});
