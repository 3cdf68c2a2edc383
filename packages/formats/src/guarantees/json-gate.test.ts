import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { isJsonObject } from '../json/safe-json.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { ConstraintViolation } from './constraint-violation.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { validateAndRepair } from './validate-and-repair.ts';
import { JsonGate, type JsonTerms } from './json-gate.ts';
import { schemaCompiler } from './validator.ts';

const finish = (reason: 'stop' | 'length' | 'tool-calls' = 'stop'): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw: reason,
});
const call: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'f' };
const validator = schemaCompiler()({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
const schema: CheckedSchema = { validate: (text) => Promise.resolve(validateAndRepair(text, validator)) };

function opened(terms: Partial<JsonTerms> = {}) {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  new JsonGate(provider, { choices: 1, roots: '{', delivery: 'stream', ...terms }).start(client);
  const emit = (...batch: StreamEvent[]): void => provider.sink?.events(batch);
  const text = () =>
    client.batches.flat().reduce((sum, event) => sum + (event.type === 'text-delta' ? event.text : ''), '');
  return { provider, client, emit, text };
}

/** Sends a text in pieces through the gate and returns the result. */
async function run(pieces: readonly string[], terms: Partial<JsonTerms> = {}, last = finish()) {
  const { provider, client, emit, text } = opened(terms);
  for (const piece of pieces) emit(textDelta(piece));
  emit(last);
  if (!provider.isCancelled) provider.sink?.end();
  await expect.poll(() => client.endings, { message: 'the answer ends', interval: 1 }).toHaveLength(1);
  const [ending] = client.endings;
  const error = typeof ending === 'object' ? ending.error : undefined;
  return { text: text(), violation: error instanceof ConstraintViolation ? error : undefined, client, provider };
}

const one = '{"a": [1, {"b": "} ```"}]}';
test.each([
  ['an object unchanged', one, one],
  ['blanks around it', `\n ${one}\n\n`, one],
  ['a fence', `\`\`\`json\n${one}\n\`\`\``, one],
  ['a fence without a name, and prose after it', `\`\`\`\n${one}\n\`\`\`\nThat is all.`, one],
  ['prose before it', `Here is your {object}:\n${one}\nEnjoy!`, one],
  ['raw line breaks in strings', '{"a": "b\nc"}', '{"a": "b\\nc"}'],
  ['a trailing comma', '{"a": [1,], }', '{"a": [1] }'],
  ['an open bracket', '{"a": [1', '{"a": [1]}'],
  ['a second object after it', '{"a":1}\n{"a":2}', '{"a":1}'],
  ['nothing', ' ', undefined],
  ['prose alone', 'I cannot do that.', undefined],
  ['a list', '[1]', undefined],
  ['two objects in prose', 'Either {"a":1} or {"a":2}.', undefined],
  ['single quotes', "{'a': 1}", undefined],
  ['markup', '{"a": <b>}', undefined],
])('%s', async (_, said, meant) => {
  for (const delivery of ['stream', 'whole'] as const) {
    const { text, violation } = await run([said], { delivery });
    expect([violation?.constraint, violation?.canBeReprompted, text]).toEqual(
      meant === undefined ? ['json', true, ''] : [undefined, undefined, meant],
    );
  }
});

const alphabet = fc.constantFrom(
  '{"a":',
  '{',
  '}',
  '[1',
  ']',
  ',',
  '"',
  '1',
  ' ',
  '\n',
  'x',
  '```',
  '{"b":2}',
  '\\',
  ':',
);
const texts = fc.oneof(
  fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('', ' ', '```json\n', 'Well: '),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom('', '\n```', ' x'),
    )
    .map(([before, value, after]) => before + JSON.stringify(value) + after),
);

function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = (sizes[index % sizes.length] ?? 0) + 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

test('an answer in any pieces gives the same result: one object, or a violation', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(4), { minLength: 1 }), async (said, sizes) => {
      const whole = await run([said]);
      const inPieces = await run(cut(said, sizes));
      expect(inPieces.violation?.words).toBe(whole.violation?.words);
      if (whole.violation) return;
      expect(inPieces.text).toBe(whole.text);
      expect([whole.text[0], isJsonObject(whole.text)]).toEqual(['{', true]);
    }),
    { numRuns: isDeep ? 150 : 50 },
  );
});

test('streamed text can still become an object, and nothing is held longer than necessary', () => {
  const { emit, text } = opened();
  emit(textDelta('```js'));
  emit(textDelta('on\n{"a'));
  expect(text()).toBe('{"a');
  emit(textDelta('": 1'));
  expect(text()).toBe('{"a": 1');
});

test('the model cannot be re-prompted for a broken value once a part was sent', async () => {
  const { violation, text } = await run(['{"a": 1, ', 'and so on']);
  expect([violation?.canBeReprompted, text]).toEqual([false, '{"a": 1']);
  const open = await run(['{"a": "b']);
  expect([open.violation?.canBeReprompted, open.text]).toEqual([false, '{"a": "b']);
  const held = await run(['{"a": "b'], { delivery: 'whole' });
  expect([held.violation?.canBeReprompted, held.text]).toEqual([true, '']);
});

test('endless blanks are ended before the object, in it, after a comma and after the object', async () => {
  const blanks = Array.from({ length: 200 }, () => '\n'.repeat(50));
  for (const beginning of ['', '{"a":', '{"a":1,']) {
    const { violation, provider } = await run([beginning, ...blanks]);
    expect([violation?.words, provider.isCancelled]).toEqual([expect.stringMatching('blanks'), true]);
  }
  const behind = await run(['{"a":1}', ...blanks]);
  expect([behind.text, behind.client.endings, behind.provider.isCancelled]).toEqual(['{"a":1}', ['end'], true]);
});

test('an answer that was cut off passes with its finish reason', async () => {
  for (const delivery of ['stream', 'whole'] as const) {
    const { text, client } = await run(['{"a": '], { delivery }, finish('length'));
    expect([text, client.batches.flat().at(-1)]).toEqual(['{"a": ', finish('length')]);
  }
});

test('an answer with tool calls need not be JSON, and its prose is dropped', () => {
  const { emit, provider, client, text } = opened();
  emit(textDelta('Let me see.'), call, finish('tool-calls'));
  provider.sink?.end();
  expect([text(), client.endings]).toEqual(['', ['end']]);
});

test('a value held until it is complete is repaired to fit its schema, or is a violation that allows a re-prompt', async () => {
  expect((await run(['{"n": "5"}'], { schema, delivery: 'whole' })).text).toBe('{"n":5}');
  const { violation } = await run(['{"m": 5}'], { schema, delivery: 'whole' });
  expect([violation?.canBeReprompted, violation?.words]).toEqual([
    true,
    expect.stringMatching("required property 'n'"),
  ]);
});

test('a streamed value is validated at the end, and the answer fails if it does not fit', async () => {
  expect((await run(['{"n"', ': 5}'], { schema })).client.endings).toEqual(['end']);
  const { violation, client } = await run(['{"n"', ': "5"}'], { schema });
  expect(violation?.canBeReprompted).toBe(false);
  expect(client.batches.flat().some(({ type }) => type === 'finish')).toBe(false);
});
