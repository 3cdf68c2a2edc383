import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { markupFamilies } from '../chat/tool-formats.ts';
import { families } from './families.ts';
import {
  collected,
  examples,
  optionsFor,
  pieces,
  readMarkup,
} from '../../../../test/fixtures/dialects/markup/read-markup.ts';
import { markerSoup, marks } from '../../../../test/fixtures/dialects/markup/marker-soup.ts';
import { MarkupReader } from './markup-reader.ts';

const formats = fc.constantFrom('auto', 'off', ...families.map(({ id }) => id));
/** Without families whose messages have headers: their marks count in the middle of text even without tools. */
const withoutChannels = fc.constantFrom(
  'auto',
  'off',
  ...families.filter(({ channels }) => channels === undefined).map(({ id }) => id),
);
const finishes = fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'other');
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

function cut(text: string, lengths: readonly number[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

describe('marker soup', () => {
  test('gives the same result however it is split', () => {
    fc.assert(
      fc.property(
        markerSoup,
        sizes,
        formats,
        finishes,
        fc.constantFrom('text' as const, 'reasoning' as const, 'doubt' as const),
        (soup, lengths, format, finish, startsIn) => {
          const options = { format, finish, startsIn };
          expect(readMarkup(cut(soup, lengths), options)).toEqual(readMarkup([soup], options));
        },
      ),
      { numRuns: isDeep ? 750 : 150 },
    );
  });

  test('gives the same result when pieces that need no reading are not read', () => {
    fc.assert(
      fc.property(markerSoup, sizes, formats, (soup, lengths, format) => {
        const reader = new MarkupReader(optionsFor({ format }));
        const events = cut(soup, lengths).flatMap((text): readonly StreamEvent[] =>
          reader.passes(text, 'content') ? [{ type: 'text-delta', choice: 0, text }] : reader.push(text, 'content'),
        );
        expect(collected([...events, ...reader.end('stop')])).toEqual(readMarkup([soup], { format }));
      }),
      { numRuns: isDeep ? 400 : 80 },
    );
  });

  test('gives valid events when the channel changes at any point', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(markerSoup, fc.boolean()), { maxLength: 4 }), (steps) => {
        const reader = new MarkupReader(optionsFor());
        const events = steps.flatMap(([soup, isReasoning]) => reader.push(soup, isReasoning ? 'reasoning' : 'content'));
        expect(() => collected([...events, ...reader.end('stop')])).not.toThrow();
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });

  test('is passed on unchanged when no tools are offered and it does not begin with reasoning', () => {
    fc.assert(
      fc.property(markerSoup, sizes, withoutChannels, (soup, lengths, format) => {
        const text = `Well, ${soup}`;
        expect(readMarkup(cut(text, lengths), { format, tools: [] })).toMatchObject({ content: text, calls: [] });
      }),
      { numRuns: isDeep ? 1000 : 150 },
    );
  });
});

describe('arguments', () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  const render: readonly (readonly [string, (json: string) => string])[] = [
    ['hermes', (json) => `<tool_call>\n{"name": "get_tide", "arguments": ${json}}\n</tool_call>`],
    [
      'kimi_k2',
      (json) => `<|tool_call_begin|>functions.get_tide:0<|tool_call_argument_begin|>${json}<|tool_call_end|>`,
    ],
    ['mistral_v11', (json) => `[TOOL_CALLS]get_tide[ARGS]${json}`],
    ['deepseek_v31', (json) => `<｜tool▁call▁begin｜>get_tide<｜tool▁sep｜>${json}<｜tool▁call▁end｜>`],
    ['harmony', (json) => `<|channel|>commentary to=functions.get_tide<|message|>${json}<|call|>`],
  ];

  test.each(render)('of %s are passed on unchanged, whatever their strings contain', (format, rendered) => {
    const hostile = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(...marks), { maxKeys: 2 });
    fc.assert(
      fc.property(fc.oneof(value, hostile), sizes, (given, lengths) => {
        const json = JSON.stringify(given);
        const { calls, content } = readMarkup(cut(rendered(json), lengths), { format });
        expect(calls.map((call) => call.arguments)).toEqual([json]);
        expect(content).toBe('');
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  });

  test.each(render)('of %s stay open when they are cut off', (format, rendered) => {
    const json = JSON.stringify({ port: 'Brest', list: [1, { a: 'b' }] });
    const text = rendered(json);
    const whole = text.indexOf(json) + json.length;
    for (let end = text.indexOf(json) + 1; end < whole; end++) {
      const [call] = readMarkup([text.slice(0, end)], { format, finish: 'length' }).calls;
      expect(json.startsWith(call?.arguments ?? 'none')).toBe(true);
      expect(() => JSON.parse(call?.arguments ?? '')).toThrow();
    }
  });

  test('are passed on while they arrive', () => {
    const texts = [
      '<tool_call>{"name": "write_note", "arguments": {"body": "',
      '<tool_call>\n<function=write_note>\n<parameter=body>\n',
      '<｜DSML｜invoke name="write_note"><｜DSML｜parameter name="body" string="true">',
      '<|tool_call_start|>[write_note(body="',
      '<|tool_call>call:write_note{body:<|"|>',
    ];
    for (const opening of texts) {
      const reader = new MarkupReader(optionsFor());
      reader.push(opening, 'content');
      for (const character of 'all these words, one by one') {
        expect(reader.push(character, 'content')).toEqual([
          { type: 'tool-call-delta', choice: 0, call: 0, arguments: character },
        ]);
      }
    }
  });
});

describe('text around a call', () => {
  const whole = examples.filter(
    ({ auto, calls, startsInReasoning, reasoning }) =>
      auto && calls.length > 0 && !startsInReasoning && reasoning === '',
  );
  // Some formats count only at the beginning of the answer.
  const anywhere = whole.filter(({ family }) => family !== 'phi4_mini' && family !== 'kimi_k3');

  test.each(anywhere)('$name: its calls and the text around them are kept', ({ raw, calls, content }) => {
    const read = readMarkup([`Before. ${raw}After.`]);
    expect(read.calls.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
    expect(read.content.replace(content, '')).toMatch(/^Before\. \s*After\.$/);
  });

  test('two answers in a row give the calls of both', () => {
    for (const first of anywhere) {
      for (const second of isDeep ? anywhere : anywhere.slice(0, 3)) {
        const { calls } = readMarkup([`${first.raw}\n${second.raw}`]);
        expect(calls.map(({ name }) => name)).toEqual([...first.calls, ...second.calls].map(({ name }) => name));
      }
    }
  });
});

describe('text held back', () => {
  /** Pushes text piece by piece and returns the maximum number of characters held. */
  function mostHeld(text: string): number {
    const reader = new MarkupReader(optionsFor());
    let most = 0;
    for (const piece of pieces(text, 64)) {
      reader.push(piece, 'content');
      most = Math.max(most, reader.heldLength);
    }
    return most;
  }

  test.each([
    ['a header without end', `<|start|>assistant${' word'.repeat(2000)}`, 1024],
    ['a name without end', `[TOOL_CALLS]${'a'.repeat(10_000)}`, 1024],
    [
      'keys before the name',
      `<tool_call>{${Array.from({ length: 5000 }, (_, index) => `"k${index}": ${index}`).join(', ')}`,
      16 * 1024,
    ],
    ['arguments before the name', `<tool_call>{"arguments": {"a": "${'x'.repeat(200_000)}"}`, 80 * 1024],
    [
      'blanks after a call',
      `<tool_call>{"name": "list_ports", "arguments": {}}</tool_call>${' '.repeat(20_000)}`,
      8 * 1024,
    ],
    ['blanks at the beginning', ' '.repeat(1000), 256],
  ])('is bounded for %s', (_, text, max) => {
    expect(mostHeld(text)).toBeLessThan(max);
    expect(readMarkup(pieces(text, 64))).toEqual(readMarkup([text]));
  });
});

describe('cost', () => {
  function stepsOf(text: string, size: number): number {
    const reader = new MarkupReader(optionsFor());
    for (const piece of pieces(text, size)) reader.push(piece, 'content');
    reader.end('stop');
    return reader.steps;
  }

  const soups = [
    '<',
    '<|',
    '<tool_call>',
    '<tool_call>{"a":"',
    '<tool_call>{"arguments":{"a":"',
    '[TOOL_CALLS]',
    '<function=',
    '<think>',
    '```<invoke name="',
    ']<]minimax[>[',
    '<tool_call>\n\n\n\n',
    '<|start|>',
    '</s>',
    '[THINK]<tool_call>{"name":"x","arguments":{"a":[{',
  ];

  test.each(isDeep ? soups : soups.filter((_, index) => index % 4 === 0))(
    'of repeated %j grows linearly with its length',
    (unit) => {
      const text = unit.repeat(Math.ceil(20_000 / unit.length));
      for (const size of [1, 1000]) {
        const steps = stepsOf(text, size);
        expect(stepsOf(text + text, size)).toBeLessThan(2.2 * steps + 300_000);
        expect(steps / text.length).toBeLessThan(700);
      }
    },
  );

  test('of prose is only the search for the first character of a mark', () => {
    expect(stepsOf('Plain words, and nothing else. '.repeat(1000), 40)).toBeLessThan(200);
  });
});

test('the vocabulary names every family of the table, in its order', () => {
  expect(families.map(({ id }) => id)).toEqual(markupFamilies);
});

test('logprob records stay with their text, and records of markup are dropped', () => {
  const tokens = [
    '<think>',
    'hm',
    '</think>',
    'Ok',
    '<tool_call>',
    '{"name": "list_ports", "arguments": {}}',
    '</tool_call>',
    ' bye',
  ];
  const reader = new MarkupReader(optionsFor());
  const events = tokens.flatMap((token) =>
    reader.push(token, 'content', [{ token, logprob: -1, bytes: null, alternatives: [] }]),
  );
  const records = [...events, ...reader.end('stop')].flatMap((event) =>
    'logprobs' in event ? [[event.type, event.logprobs?.map(({ token }) => token)]] : [],
  );
  expect(records).toEqual([
    ['reasoning-delta', ['hm']],
    ['text-delta', ['Ok']],
    ['text-delta', [' bye']],
  ]);
});

test('a call inside reasoning that the provider separated is a call', () => {
  const reader = new MarkupReader(optionsFor());
  const events = [
    ...reader.push('I will call <tool_call>{"name": "list_ports", ', 'reasoning'),
    ...reader.push('"arguments": {}}</tool_call>', 'reasoning'),
    ...reader.push('Done.', 'content'),
    ...reader.end('stop'),
  ];
  expect(collected(events)).toMatchObject({
    content: 'Done.',
    reasoning: 'I will call ',
    calls: [{ name: 'list_ports' }],
  });
});

test('reasoning is dropped and never becomes text when `dropsReasoning` is set', () => {
  const read = readMarkup(['<think>hm</think>Hi'], { dropsReasoning: true });
  expect(read).toEqual({ content: 'Hi', reasoning: '', calls: [] });
});
