import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { hostileText } from '../fixtures/arbitrary-answer.ts';
import { families } from '../markup/families.ts';
import { markerSoup } from '../markup/fixtures/marker-soup.ts';
import { allTools } from '../markup/fixtures/read-markup.ts';
import { type AskedMarkup, nothingAsked } from '../markup/asked-markup.ts';
import { generalWay, plainEncoding, seen, splicedWay } from './fixtures/both-ways.ts';
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

/** Both ways see the same, with a memory that has seen such answers before and with one that has not. */
function expectSame(bytes: Buffer, asked: AskedMarkup = nothingAsked, memory = new SpliceMemory()): void {
  for (const sizes of sizesOf(bytes)) {
    expect(seen(splicedWay(memory, asked), bytes, sizes)).toBe(seen(generalWay(asked), bytes, sizes));
  }
}

/** How many pieces of an answer go through unread once its provider is known. */
function splicedPieces(bytes: Buffer, asked: AskedMarkup = nothingAsked): number {
  const memory = new SpliceMemory();
  seen(splicedWay(memory, asked), stream(text('Well'), text(' then')), [bytes.length]);
  const way = splicedWay(memory, asked);
  seen(way, bytes, [bytes.length]);
  return way.pieces;
}

describe('a recorded stream', () => {
  const folder = new URL('./fixtures/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sse'));

  test.each(names)('of %s comes out as by the slow path, wherever it is cut', (name) => {
    const bytes = readFileSync(new URL(name, folder));
    const memory = new SpliceMemory();
    for (let cut = 1; cut < bytes.length; cut += isDeep ? 3 : 31) {
      const sizes = [cut, bytes.length];
      expect(seen(splicedWay(memory), bytes, sizes)).toBe(seen(generalWay(), bytes, sizes));
    }
    expectSame(bytes, nothingAsked, memory);
  });

  test('of a plain answer is spliced although every chunk has padding of its own', () => {
    const bytes = readFileSync(new URL('openai.sse', folder));
    const memory = new SpliceMemory();
    seen(splicedWay(memory), bytes, [bytes.length]);
    const way = splicedWay(memory);
    seen(way, bytes, [bytes.length]);
    expect(way.pieces).toBe(3);
  });
});

describe('a piece of text', () => {
  test('is spliced where id and time are another answer’s', () => {
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
    'is read with %j in it',
    (literal) => {
      const bytes = stream(text('a'), frame(text('§')).replace('§', literal), text('c'));
      expect(splicedPieces(bytes)).toBeLessThanOrEqual(2);
      expectSame(bytes);
    },
  );

  test('is read where it is not UTF-8', () => {
    const broken = (hex: string) =>
      Buffer.from(stream(text('§'), text('c')).toString('hex').replace('c2a7', hex), 'hex');
    for (const hex of ['ff', 'c3', 'e282', 'c080', 'eda080', 'f0908d']) {
      expect(splicedPieces(broken(hex))).toBe(0);
      expectSame(broken(hex));
    }
  });

  test('is read where it may hold markup', () => {
    const asked = { ...nothingAsked, tools: allTools };
    const bytes = stream(text('Hi'), text(' <b>'), text('`x`'), text(' there'));
    expect(splicedPieces(bytes)).toBe(4);
    expect(splicedPieces(bytes, asked)).toBe(2);
    expectSame(bytes, asked);
    expectSame(stream(text('<think>'), text('hm'), text('</think>'), text('Hi'), text(' there')));
  });

  test('is read where it is empty', () => {
    expectSame(stream(text('a'), text(''), text('b')));
  });

  test('is read where what must be the same is not', () => {
    expectSame(stream(text('a', { error: '' }), text('b', { error: '' }), text('c', { error: 'no' })));
    expectSame(stream(text('a'), text('b', { object: 'error' }), text('c')));
    const numbers = ['0', '12', '012', '', '-1', '1.5', '1e3', '99999999999999999999', '"x"', '"\\"', 'null'];
    const timed = frame(text('word')).replace('1763000001', '§');
    for (const number of numbers) expectSame(stream(text('a'), timed.replace('§', number), text('b')));
  });

  test('counts as said for what is read behind it', () => {
    expectSame(stream(text('Hi'), text(' there'), text('<think>\\u0041</think>'), text(' more')));
    const late = stream(text('Hi'), text(' there'), frame(text('§')).replace('§', '\\u003cthink>hm</think>'));
    expectSame(late);
  });
});

describe('a chunk that says nothing', () => {
  test('is not read again', () => {
    const still = [
      chunk({ delta: { role: 'assistant', content: null } }),
      chunk({ delta: {} }),
      chunk({ delta: { tool_calls: [] } }),
    ];
    expectSame(stream(...still, text('a'), ...still, text('b')));
    expectSame(Buffer.from(role + end));
    expectSame(Buffer.from(role));
  });

  test('tells why the answer ends, and the last one counts', () => {
    expectSame(stream(text('a'), chunk({ finish_reason: 'length' }), chunk({ finish_reason: '' })));
    expectSame(
      stream(text('a'), chunk({ finish_reason: 'tool_calls' }), text('b'), chunk({ finish_reason: 'x'.repeat(64) })),
    );
  });

  test('tells it in any alphabet', () => {
    expectSame(stream(text('a'), chunk({ finish_reason: 'füllig' })).subarray(0, -end.length));
    expectSame(Buffer.from(role + frame(text('a')) + frame(chunk({ finish_reason: '完' })) + frame('[DONE]')));
  });

  test('tells that there is a place for reasoning', () => {
    const asked = { ...nothingAsked, startsIn: 'doubt' as const };
    const place = chunk({ delta: { reasoning_content: '' } });
    expectSame(stream(text('hm'), place, text(' well'), place), asked);
    expectSame(stream(place, text('hm'), text(' well')), asked);
  });
});

describe('a stream that is not one line of data after another', () => {
  const plain = stream(text('Hello'), text(' wörld'), text(' again')).toString();

  test.each<[string, string]>([
    ['ends its lines with CRLF', plain.replaceAll('\n', '\r\n')],
    ['ends its lines with CR', plain.replaceAll('\n', '\r')],
    [
      'ends one line with CRLF',
      plain.replace(' wörld"},"finish_reason":null}]}\n', ' wörld"},"finish_reason":null}]}\r\n'),
    ],
    ['has a CR in the middle of a line', plain.replace('"delta":{"content":" wö', '"delta":\r{"content":" wö')],
    ['has no blank behind the colon', plain.replaceAll('data: ', 'data:')],
    ['has two blanks behind the colon', plain.replaceAll('data: ', 'data:  ')],
    ['names its events', plain.replaceAll('data: ', 'event: message\ndata: ')],
    ['names one event', plain.replace('\n\ndata: ', '\n\nid: 4\ndata: ')],
    ['has an event in several lines', plain.replace('{"content":" wörld"}', '{"content":\ndata: " wörld"}')],
    ['has a text broken in two lines', plain.replace(' wörld', ' wö\nrld')],
    ['begins with a byte order mark', `\ufeff${plain}`],
    ['has a byte order mark within', plain.replace('\n\ndata', '\n\n\ufeffdata')],
    ['has more blank lines than needed', plain.replaceAll('\n\n', '\n\n\n')],
    ['has comments', plain.replaceAll('data: ', ': still here\n\ndata: ')],
    ['has a comment right before an event', plain.replace('data: ', ': still here\ndata: ')],
    ['has data without a value', plain.replace('\n\ndata: ', '\n\ndata\n\ndata:\n\ndata: ')],
    ['lacks its last blank line', plain.slice(0, -2)],
    ['lacks its last line end', plain.slice(0, -1)],
    ['lacks its end', plain.slice(0, plain.lastIndexOf('data: '))],
    ['is cut short', plain.slice(0, plain.indexOf('again'))],
    [
      'is cut in a character',
      Buffer.from(plain)
        .subarray(0, Buffer.from(plain).indexOf('ö') + 1)
        .toString('latin1'),
    ],
    ['goes on behind its end', plain + plain],
    ['is empty', ''],
    ['is a page', '<html>\n\n</html>'],
  ])('and %s comes out as by the slow path', (_, bytes) => {
    expectSame(Buffer.from(bytes));
  });

  test('fails where an error comes in the middle, behind what came before', () => {
    expectSame(stream(text('a'), text('b'), { error: { message: 'overloaded', code: 529 } }, text('c')));
    expectSame(stream({ error: { message: 'overloaded' } }));
    expectSame(stream(text('a'), chunk({ finish_reason: 'error' }), text('b')));
  });

  test('has failed for whoever asks again', () => {
    const way = splicedWay();
    way.push(Buffer.from(frame(text('a')) + frame({ error: 'no' }) + frame(text('b'))));
    expect(way.isDone).toBe(true);
    expect(() => way.push(Buffer.from(frame(text('c'))))).toThrow();
    expect(() => way.end()).toThrow();
  });

  test('is not said to have failed where the mistake is ours', () => {
    class Forgetful extends SpliceMemory {
      override look(): void {
        throw new Error('a mistake');
      }
    }
    const read = Buffer.from(frame(text('a')) + frame(text('b')));
    expect(() => splicedWay(new Forgetful()).push(read)).toThrow('a mistake');
  });

  test('fails after too much that is no JSON', () => {
    expectSame(stream(text('a'), ...Array.from({ length: 12 }, () => frame('{')), text('b')));
  });

  test('may have events of any length up to the bound', () => {
    const long = (characters: number) => stream(text('a'), text('x'.repeat(characters)), text('b'));
    for (const characters of [15_000, 17_000, 70_000, 1_100_000, 8 * 1024 * 1024 + 10]) {
      for (const size of [64 * 1024, 20 * 1024 * 1024]) {
        const bytes = long(characters);
        expect(seen(splicedWay(), bytes, [size])).toBe(seen(generalWay(), bytes, [size]));
      }
    }
  });
});

test('a provider that changes its frames is learned again', () => {
  const memory = new SpliceMemory();
  const answer = (extra: string) => stream(...Array.from({ length: 40 }, () => text('word', { [extra]: true })));
  for (let generation = 0; generation < 12; generation++) {
    seen(splicedWay(memory), answer(`x${generation}`), [1 << 20]);
    seen(splicedWay(memory), answer(`x${generation}`), [1 << 20]);
    const way = splicedWay(memory);
    seen(way, answer(`x${generation}`), [1 << 20]);
    expect(way.pieces).toBe(40);
    expect(memory.shapes.length).toBeLessThanOrEqual(8);
  }
});

describe('whatever a provider sends', () => {
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
  const spelled = fc
    .tuple(wire, fc.constantFrom('as is', 'as is', 'as is', 'ascii', 'slashes', 'spaced', 'turned'))
    .map(spell);
  const data = fc.oneof(
    { weight: 14, arbitrary: spelled },
    { weight: 1, arbitrary: fc.constantFrom('[DONE]', '', '{', '[]', 'null', ' {"choices":[]} ', '\u00a0{}') },
  );
  const framed = fc
    .tuple(data, fc.constantFrom(...Array.from({ length: 24 }, () => 'data: §\n\n'), ...oddFrames))
    .map(([one, around]) => around.replace('§', () => one));
  const answers = fc.array(
    fc
      .tuple(
        fc.array(framed, { maxLength: 10 }).map((frames) => frames.join('')),
        fc.boolean(),
      )
      .map(([all, isWhole]) => Buffer.from(isWhole ? all + end : all)),
    { minLength: 1, maxLength: 4 },
  );
  const asked: fc.Arbitrary<AskedMarkup> = fc.record({
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

  test('in whatever pieces, comes out as by the slow path', () => {
    fc.assert(
      fc.property(answers, asked, sizes, encoding, (streams, markup, cuts, own) => {
        const memory = new SpliceMemory();
        for (const bytes of [...streams, ...streams]) {
          const spliced = seen(splicedWay(memory, markup, { ...plainEncoding, ...own }), bytes, cuts);
          expect(spliced).toBe(seen(generalWay(markup, { ...plainEncoding, ...own }), bytes, cuts));
        }
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });

  test('even if it is not UTF-8, comes out as by the slow path', () => {
    const hit = fc.tuple(fc.nat(), fc.constantFrom(0xff, 0xc3, 0xe2, 0x80, 0x22, 0x5c, 0x0a, 0x0d, 0x00));
    fc.assert(
      fc.property(answers, sizes, fc.array(hit, { maxLength: 3 }), (streams, cuts, hits) => {
        const memory = new SpliceMemory();
        for (const bytes of [...streams, ...streams.map((one) => broken(one, hits))]) {
          expect(seen(splicedWay(memory), bytes, cuts)).toBe(seen(generalWay(), bytes, cuts));
        }
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });
});

const oddFrames = [
  'data:§\n\n',
  'data: §\r\n\r\n',
  ': x\n\n',
  'data: §\n',
  'event: x\ndata: §\n\n',
  '\n',
  '\ufeffdata: §\n\n',
];

/** Writes a chunk as one provider or another would. */
function spell([value, how]: readonly [Record<string, unknown>, string]): string {
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

function broken(bytes: Buffer, hits: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [place, value] of hits) if (copy.length > 0) copy[place % copy.length] = value;
  return copy;
}
