import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { hostileText } from '../../../../test/fixtures/dialects/arbitrary-answer.ts';
import { families } from 'chat-formats/markup/families.ts';
import { markerSoup } from '../../../../test/fixtures/dialects/markup/marker-soup.ts';
import { allTools } from '../../../../test/fixtures/dialects/markup/read-markup.ts';
import { type MarkupRequest, noMarkupRequest } from 'chat-formats/markup/markup-request.ts';
import {
  slowPath,
  plainEncoding,
  seen,
  splicedPath,
} from '../../../../test/fixtures/dialects/chat-completions/both-paths.ts';
import { SpliceMemory } from './splice-memory.ts';

const sizesOf = (stream: Buffer) => [[stream.length], [1], [64, 3], [1, stream.length]];
const chunk = (choice: object, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_763_000_001,
  model: 'theirs',
  choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  ...more,
});
const text = (content: string, more: object = {}): object => chunk({ delta: { content } }, more);
const frame = (data: object | string): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const role = frame(chunk({ delta: { role: 'assistant', content: '' } }));
const end =
  frame(chunk({ finish_reason: 'stop' })) +
  frame({ ...chunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }) +
  frame('[DONE]');
const stream = (...frames: readonly (object | string)[]): Buffer =>
  Buffer.from(role + frames.map((one) => (typeof one === 'string' ? one : frame(one))).join('') + end);

/** Asserts that both paths give the same results, with known shapes and without. */
function expectSame(bytes: Buffer, markup: MarkupRequest = noMarkupRequest, memory = new SpliceMemory()): void {
  for (const sizes of sizesOf(bytes)) {
    expect(seen(splicedPath(memory, markup), bytes, sizes)).toBe(seen(slowPath(markup), bytes, sizes));
  }
}

/** The number of pieces that are copied without parsing once the provider's frames are known. */
function splicedPieces(bytes: Buffer, markup: MarkupRequest = noMarkupRequest): number {
  const memory = new SpliceMemory();
  seen(splicedPath(memory, markup), stream(text('Well'), text(' then')), [bytes.length]);
  const path = splicedPath(memory, markup);
  seen(path, bytes, [bytes.length]);
  return path.pieces;
}

describe('a recorded stream', () => {
  const folder = new URL('../../../../test/fixtures/dialects/chat-completions/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sse'));

  test.each(names)('of %s gives the same frames as the slow path, wherever it is split', (name) => {
    const bytes = readFileSync(new URL(name, folder));
    const memory = new SpliceMemory();
    for (let cut = 1; cut < bytes.length; cut += isDeep ? 3 : 31) {
      const sizes = [cut, bytes.length];
      expect(seen(splicedPath(memory), bytes, sizes)).toBe(seen(slowPath(), bytes, sizes));
    }
    expectSame(bytes, noMarkupRequest, memory);
  });

  test('of a text answer is spliced although the padding of each chunk differs', () => {
    const bytes = readFileSync(new URL('openai.sse', folder));
    const memory = new SpliceMemory();
    seen(splicedPath(memory), bytes, [bytes.length]);
    const path = splicedPath(memory);
    seen(path, bytes, [bytes.length]);
    expect(path.pieces).toBe(3);
  });
});

describe('a piece of text', () => {
  test('is spliced with the id and time of another answer', () => {
    const other = { id: 'chatcmpl-2', created: 1_800_000_000 };
    expect(splicedPieces(stream(text('Good', other), text(' morning', other)))).toBe(2);
  });

  test.each(['\\n', '\\"', '\\\\', '\\t\\r\\b\\f', '\u007f', 'ünï 😀 你好', '—', '\u2028', '\ufeff'])(
    'is spliced with %j in it',
    (literal) => {
      const bytes = stream(frame(text('§')).replace('§', `a${literal}b`), text('c'));
      expect(splicedPieces(bytes)).toBe(2);
      expectSame(bytes);
    },
  );

  test.each(['\\u00e9', '\\u0041', '\\/', '\\u000a', '\\ud83d', '\\ud83d\\ude00', '\\x', '\t', '\u0001', '"', '\\'])(
    'is parsed with %j in it',
    (literal) => {
      const bytes = stream(text('a'), frame(text('§')).replace('§', literal), text('c'));
      expect(splicedPieces(bytes)).toBeLessThanOrEqual(2);
      expectSame(bytes);
    },
  );

  test('is parsed if it is not UTF-8', () => {
    const corrupted = (hex: string) =>
      Buffer.from(stream(text('§'), text('c')).toString('hex').replace('c2a7', hex), 'hex');
    for (const hex of ['ff', 'c3', 'e282', 'c080', 'eda080', 'f0908d']) {
      expect(splicedPieces(corrupted(hex))).toBe(0);
      expectSame(corrupted(hex));
    }
  });

  test('is parsed if it may hold markup', () => {
    const markup = { ...noMarkupRequest, tools: allTools };
    const bytes = stream(text('Hi'), text(' <b>'), text('`x`'), text(' there'));
    expect(splicedPieces(bytes)).toBe(4);
    expect(splicedPieces(bytes, markup)).toBe(2);
    expectSame(bytes, markup);
    expectSame(stream(text('<think>'), text('hm'), text('</think>'), text('Hi'), text(' there')));
  });

  test('is parsed if it is empty', () => {
    expectSame(stream(text('a'), text(''), text('b')));
  });

  test('is parsed if a fixed member of its frame differs', () => {
    expectSame(stream(text('a', { error: '' }), text('b', { error: '' }), text('c', { error: 'no' })));
    expectSame(stream(text('a'), text('b', { object: 'error' }), text('c')));
    const numbers = ['0', '12', '012', '', '-1', '1.5', '1e3', '99999999999999999999', '"x"', '"\\"', 'null'];
    const timed = frame(text('word')).replace('1763000001', '§');
    for (const number of numbers) expectSame(stream(text('a'), timed.replace('§', number), text('b')));
  });

  test('is taken into account when later frames are parsed', () => {
    expectSame(stream(text('Hi'), text(' there'), text('<think>\\u0041</think>'), text(' more')));
    const late = stream(text('Hi'), text(' there'), frame(text('§')).replace('§', '\\u003cthink>hm</think>'));
    expectSame(late);
  });
});

describe('a chunk without content', () => {
  test('is not parsed again', () => {
    const empty = [
      chunk({ delta: { role: 'assistant', content: null } }),
      chunk({ delta: {} }),
      chunk({ delta: { tool_calls: [] } }),
    ];
    expectSame(stream(...empty, text('a'), ...empty, text('b')));
    expectSame(Buffer.from(role + end));
    expectSame(Buffer.from(role));
  });

  test('may have a finish reason, of which the last one counts', () => {
    expectSame(stream(text('a'), chunk({ finish_reason: 'length' }), chunk({ finish_reason: '' })));
    expectSame(
      stream(text('a'), chunk({ finish_reason: 'tool_calls' }), text('b'), chunk({ finish_reason: 'x'.repeat(64) })),
    );
  });

  test('may have a finish reason in any alphabet', () => {
    expectSame(stream(text('a'), chunk({ finish_reason: 'füllig' })).subarray(0, -end.length));
    expectSame(Buffer.from(role + frame(text('a')) + frame(chunk({ finish_reason: '完' })) + frame('[DONE]')));
  });

  test('may show that the provider has a reasoning field', () => {
    const markup = { ...noMarkupRequest, startsIn: 'doubt' as const };
    const reasoningField = chunk({ delta: { reasoning_content: '' } });
    expectSame(stream(text('hm'), reasoningField, text(' well'), reasoningField), markup);
    expectSame(stream(reasoningField, text('hm'), text(' well')), markup);
  });
});

describe('a stream in an unexpected form', () => {
  const plain = stream(text('Hello'), text(' wörld'), text(' again')).toString();

  test.each<[string, string]>([
    ['ends its lines with CRLF', plain.replaceAll('\n', '\r\n')],
    ['ends its lines with CR', plain.replaceAll('\n', '\r')],
    [
      'ends one line with CRLF',
      plain.replace(' wörld"},"finish_reason":null}]}\n', ' wörld"},"finish_reason":null}]}\r\n'),
    ],
    ['has a CR in the middle of a line', plain.replace('"delta":{"content":" wö', '"delta":\r{"content":" wö')],
    ['has no space after the colon', plain.replaceAll('data: ', 'data:')],
    ['has two spaces after the colon', plain.replaceAll('data: ', 'data:  ')],
    ['names its events', plain.replaceAll('data: ', 'event: message\ndata: ')],
    ['names one event', plain.replace('\n\ndata: ', '\n\nid: 4\ndata: ')],
    ['has an event of several lines', plain.replace('{"content":" wörld"}', '{"content":\ndata: " wörld"}')],
    ['has a text split into two lines', plain.replace(' wörld', ' wö\nrld')],
    ['begins with a byte order mark', `\ufeff${plain}`],
    ['has a byte order mark in the middle', plain.replace('\n\ndata', '\n\n\ufeffdata')],
    ['has more blank lines than needed', plain.replaceAll('\n\n', '\n\n\n')],
    ['has comments', plain.replaceAll('data: ', ': still here\n\ndata: ')],
    ['has a comment right before an event', plain.replace('data: ', ': still here\ndata: ')],
    ['has data without a value', plain.replace('\n\ndata: ', '\n\ndata\n\ndata:\n\ndata: ')],
    ['lacks its last blank line', plain.slice(0, -2)],
    ['lacks its last line end', plain.slice(0, -1)],
    ['lacks its end', plain.slice(0, plain.lastIndexOf('data: '))],
    ['is truncated', plain.slice(0, plain.indexOf('again'))],
    [
      'is truncated within a character',
      Buffer.from(plain)
        .subarray(0, Buffer.from(plain).indexOf('ö') + 1)
        .toString('latin1'),
    ],
    ['continues after its end', plain + plain],
    ['is empty', ''],
    ['is an HTML page', '<html>\n\n</html>'],
  ])('that %s gives the same frames as the slow path', (_, bytes) => {
    expectSame(Buffer.from(bytes));
  });

  test('fails at an error in the middle, after the content before it', () => {
    expectSame(stream(text('a'), text('b'), { error: { message: 'overloaded', code: 529 } }, text('c')));
    expectSame(stream({ error: { message: 'overloaded' } }));
    expectSame(stream(text('a'), chunk({ finish_reason: 'error' }), text('b')));
  });

  test('throws on every call after a failure', () => {
    const path = splicedPath();
    path.push(Buffer.from(frame(text('a')) + frame({ error: 'no' }) + frame(text('b'))));
    expect(path.isDone).toBe(true);
    expect(() => path.push(Buffer.from(frame(text('c'))))).toThrow();
    expect(() => path.end()).toThrow();
  });

  test('throws an internal error unchanged', () => {
    class FailingMemory extends SpliceMemory {
      override learn(): void {
        throw new Error('a bug');
      }
    }
    const read = Buffer.from(frame(text('a')) + frame(text('b')));
    expect(() => splicedPath(new FailingMemory()).push(read)).toThrow('a bug');
  });

  test('fails after too many malformed events', () => {
    expectSame(stream(text('a'), ...Array.from({ length: 12 }, () => frame('{')), text('b')));
  });

  test('may have events of any length up to the limit', () => {
    const long = (characters: number) => stream(text('a'), text('x'.repeat(characters)), text('b'));
    for (const characters of [15_000, 17_000, 70_000, 1_100_000, 8 * 1024 * 1024 + 10]) {
      for (const size of [64 * 1024, 20 * 1024 * 1024]) {
        const bytes = long(characters);
        expect(seen(splicedPath(), bytes, [size])).toBe(seen(slowPath(), bytes, [size]));
      }
    }
  });
});

test('the memory learns new frames of a provider again', () => {
  const memory = new SpliceMemory();
  const answer = (extra: string) => stream(...Array.from({ length: 40 }, () => text('word', { [extra]: true })));
  for (let generation = 0; generation < 12; generation++) {
    seen(splicedPath(memory), answer(`x${generation}`), [1 << 20]);
    seen(splicedPath(memory), answer(`x${generation}`), [1 << 20]);
    const path = splicedPath(memory);
    seen(path, answer(`x${generation}`), [1 << 20]);
    expect(path.pieces).toBe(40);
    expect(memory.shapes.length).toBeLessThanOrEqual(8);
  }
});

describe('an arbitrary stream', () => {
  const words = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('word', ' more', 'Ärger', '\n', 'fine', ' 😀', '"so"', 'a\\b', '\t', '—') },
    { weight: 2, arbitrary: hostileText },
    { weight: 2, arbitrary: markerSoup },
  );
  const delta = fc.oneof(
    { weight: 12, arbitrary: fc.record({ content: words }) },
    { weight: 2, arbitrary: fc.record({ role: fc.constant('assistant'), content: fc.oneof(words, fc.constant('')) }) },
    { weight: 3, arbitrary: fc.record({ reasoning_content: words, content: fc.constantFrom(null, '') }) },
    { weight: 1, arbitrary: fc.record({ content: words, reasoning_content: fc.constantFrom(null, '', 'hm') }) },
    {
      weight: 1,
      arbitrary: fc.record({ content: words, tool_calls: fc.constant([]), refusal: fc.constantFrom(null, 'no') }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        tool_calls: fc.constant([{ index: 0, id: 'c1', function: { name: 'get_tide', arguments: '{}' } }]),
      }),
    },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  const rare = <Value>(value: fc.Arbitrary<Value>, usual: Value | null = null) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });
  const choice = fc.record({
    index: rare(fc.constant(1), 0),
    delta,
    finish_reason: rare(
      fc.constantFrom<string | number>('stop', 'length', 'tool_calls', 'error', 'abort', 'x'.repeat(70), 'füllig', 3),
    ),
    logprobs: rare(fc.constant({ content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }] })),
  });
  const wire = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'ü', '"content":"', 'f1f2c0de-probe'),
      created: fc.constantFrom(0, 12, 1_763_000_001),
      object: rare(fc.constant('error'), 'chat.completion.chunk'),
      choices: fc.oneof(
        { weight: 12, arbitrary: choice.map((one) => [one]) },
        { weight: 1, arbitrary: fc.array(choice, { maxLength: 2 }) },
      ),
      obfuscation: fc.constantFrom('', 'x', 'aXb', 7),
      usage: rare(fc.constant<object>({ prompt_tokens: 3, completion_tokens: 4 })),
      x_groq: rare(fc.constant<object>({ usage: { prompt_tokens: 1, completion_tokens: 1 } })),
      error: rare(fc.constant<object>({ message: 'no' })),
    },
    { requiredKeys: ['id', 'choices'] },
  );
  const written = fc
    .tuple(wire, fc.constantFrom('as is', 'as is', 'as is', 'ascii', 'slashes', 'spaced', 'turned'))
    .map(writeChunk);
  const data = fc.oneof(
    { weight: 14, arbitrary: written },
    { weight: 1, arbitrary: fc.constantFrom('[DONE]', '', '{', '[]', 'null', ' {"choices":[]} ', '\u00a0{}') },
  );
  const framed = fc
    .tuple(data, fc.constantFrom(...Array.from({ length: 24 }, () => 'data: §\n\n'), ...unusualFrames))
    .map(([one, around]) => around.replace('§', () => one));
  const answers = fc.array(
    fc
      .tuple(
        fc.array(framed, { maxLength: 10 }).map((frames) => frames.join('')),
        fc.boolean(),
      )
      .map(([all, isComplete]) => Buffer.from(isComplete ? all + end : all)),
    { minLength: 1, maxLength: 4 },
  );
  const markupRequests: fc.Arbitrary<MarkupRequest> = fc.record({
    format: fc.constantFrom('auto', 'auto', 'off', ...families.map(({ id }) => id)),
    tools: fc.constantFrom([], allTools),
    toolChoice: fc.constantFrom(undefined, undefined, 'none' as const, 'required' as const),
    wantsJson: fc.boolean(),
    dropsReasoning: rare(fc.constant(true), false).map(Boolean),
    startsIn: fc.constantFrom('text' as const, 'text' as const, 'reasoning' as const, 'doubt' as const),
    repair: fc.boolean(),
  });
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 5000 })), {
    minLength: 1,
    maxLength: 8,
  });
  const encoding = fc.record({ model: fc.constantFrom('own', '模型'), logprobs: fc.boolean() });

  test('gives the same frames as the slow path, for every division into pieces', () => {
    fc.assert(
      fc.property(answers, markupRequests, sizes, encoding, (streams, markup, cuts, own) => {
        const memory = new SpliceMemory();
        for (const bytes of [...streams, ...streams]) {
          const spliced = seen(splicedPath(memory, markup, { ...plainEncoding, ...own }), bytes, cuts);
          expect(spliced).toBe(seen(slowPath(markup, { ...plainEncoding, ...own }), bytes, cuts));
        }
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });

  test('gives the same frames as the slow path, even if it is not UTF-8', () => {
    const hit = fc.tuple(fc.nat(), fc.constantFrom(0xff, 0xc3, 0xe2, 0x80, 0x22, 0x5c, 0x0a, 0x0d, 0x00));
    fc.assert(
      fc.property(answers, sizes, fc.array(hit, { maxLength: 3 }), (streams, cuts, hits) => {
        const memory = new SpliceMemory();
        for (const bytes of [...streams, ...streams.map((one) => corrupted(one, hits))]) {
          expect(seen(splicedPath(memory), bytes, cuts)).toBe(seen(slowPath(), bytes, cuts));
        }
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });
});

const unusualFrames = [
  'data:§\n\n',
  'data: §\r\n\r\n',
  ': x\n\n',
  'data: §\n',
  'event: x\ndata: §\n\n',
  '\n',
  '\ufeffdata: §\n\n',
];

/** Writes a chunk in the notation of one of several providers. */
function writeChunk([value, how]: readonly [Record<string, unknown>, string]): string {
  if (how === 'spaced') return JSON.stringify(value, null, 1).replaceAll('\n', '');
  if (how === 'turned') return JSON.stringify(Object.fromEntries(Object.entries(value).reverse()));
  const json = JSON.stringify(value);
  if (how === 'slashes') return json.replaceAll('/', '\\/');
  if (how !== 'ascii') return json;
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function corrupted(bytes: Buffer, hits: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [position, value] of hits) if (copy.length > 0) copy[position % copy.length] = value;
  return copy;
}
