import { describe, expect, test } from 'vitest';
import { families } from './families.ts';
import {
  collected,
  optionsFor,
  pieces,
  type Read,
  readMarkup,
} from '../../../../test/fixtures/dialects/markup/read-markup.ts';
import { thinksFirst } from './grammar.ts';
import { type MarkupOptions, MarkupReader } from './markup-reader.ts';

/** Reads text split in many ways, and expects the same result each time. */
function readAnyhow(text: string, options: Parameters<typeof readMarkup>[1]): Read {
  const whole = readMarkup([text], options);
  for (const size of [1, 2, 3, 5, 7, 16]) expect(readMarkup(pieces(text, size), options)).toEqual(whole);
  for (let at = 0; at <= text.length; at++) {
    expect(readMarkup([text.slice(0, at), text.slice(at)], options)).toEqual(whole);
  }
  return whole;
}

const opening = families.map(({ id }) => id).filter(thinksFirst);
const unsure = { startsIn: 'doubt' } as const;

describe('an answer that may begin inside reasoning', () => {
  test.each(opening)('of %s is text if no mark ends the reasoning', (format) => {
    for (const finish of ['stop', 'length', 'content-filter', 'other'] as const) {
      expect(readAnyhow('\n Hello there. ', { ...unsure, format, finish })).toEqual({
        content: '\n Hello there. ',
        reasoning: '',
        calls: [],
      });
    }
  });

  test.each(opening)('of %s is reasoning up to the end mark', (format) => {
    const end = format === 'seed_oss' ? '</seed:think>' : format === 'apriel' ? '[BEGIN FINAL RESPONSE]' : '</think>';
    expect(readAnyhow(`\nhm, so${end}\n\nHello.`, { ...unsure, format })).toEqual({
      content: 'Hello.',
      reasoning: 'hm, so',
      calls: [],
    });
  });

  test('is reasoning if it begins with an opener, even without an end mark', () => {
    expect(readAnyhow('<think>hm', unsure)).toEqual({ content: '', reasoning: 'hm', calls: [] });
  });

  test('is text up to a call if no mark ended the reasoning', () => {
    const call = '<tool_call>{"name": "list_ports", "arguments": {}}</tool_call>';
    expect(readAnyhow(`On it. ${call}`, unsure)).toMatchObject({
      content: 'On it. ',
      reasoning: '',
      calls: [{ name: 'list_ports' }],
    });
  });

  test('is text if the provider separates reasoning itself', () => {
    const reader = new MarkupReader(optionsFor(unsure));
    const events = [reader.push('Hello', 'content'), reader.push('hm', 'reasoning'), reader.push(' there', 'content')];
    expect(collected([...events.flat(), ...reader.end('stop')])).toMatchObject({
      content: 'Hello there',
      reasoning: 'hm',
    });
  });

  test('is passed on as it arrives once the provider has separated reasoning itself', () => {
    const reader = new MarkupReader(optionsFor(unsure));
    expect(reader.push('He', 'content')).toEqual([]);
    expect(reader.splitElsewhere()).toEqual([{ type: 'text-delta', choice: 0, text: 'He' }]);
    expect(reader.push('llo', 'content')).toEqual([{ type: 'text-delta', choice: 0, text: 'llo' }]);
  });

  test('is held only up to a limit, and is repeated as text if the reasoning never ends', () => {
    const words = 'word '.repeat(2000);
    for (const size of [1, 100, words.length]) {
      const reader = new MarkupReader(optionsFor(unsure));
      const before = pieces(words, size).flatMap((piece) => reader.push(piece, 'content'));
      expect(collected(before)).toMatchObject({ content: '', reasoning: words });
      expect(reader.end('stop')).toEqual([{ type: 'text-delta', choice: 0, text: words, isRepeated: true }]);
    }
  });

  test('keeps the logprob records of its tokens with their text', () => {
    const tokens = ['hm', '</think>', 'Hi'];
    const recordsOf = (texts: readonly string[]) => {
      const reader = new MarkupReader(optionsFor(unsure));
      const events = texts.flatMap((token) =>
        reader.push(token, 'content', [{ token, logprob: -1, bytes: null, alternatives: [] }]),
      );
      return [...events, ...reader.end('stop')].map((event) =>
        'logprobs' in event ? [event.type, event.logprobs?.map(({ token }) => token)] : [],
      );
    };
    expect(recordsOf(tokens)).toEqual([
      ['reasoning-delta', ['hm']],
      ['text-delta', ['Hi']],
    ]);
    expect(recordsOf(['hm', ' Hi'])).toEqual([['text-delta', ['hm', ' Hi']]]);
  });
});

describe('an answer whose prompt opened the reasoning', () => {
  const sure = { startsIn: 'reasoning' } as const;

  test('is passed on as it arrives', () => {
    const reader = new MarkupReader(optionsFor(sure));
    expect(reader.push('hm', 'content')).toEqual([{ type: 'reasoning-delta', choice: 0, text: 'hm' }]);
  });

  test('repeats its reasoning as text if it ended naturally without any text', () => {
    expect(readAnyhow('Hello.', sure)).toEqual({ content: 'Hello.', reasoning: 'Hello.', calls: [] });
    expect(readAnyhow('hm, and th', { ...sure, finish: 'length' })).toMatchObject({
      content: '',
      reasoning: 'hm, and th',
    });
    expect(readAnyhow('hm</think>', sure)).toMatchObject({ content: '', reasoning: 'hm' });
  });
});

describe('words that may open reasoning', () => {
  const options = (format: string): Partial<MarkupOptions> => ({ format, tools: [] });

  test.each([
    ['harmony', 'analysis of the data: none'],
    ['harmony', 'commentary on the war'],
    ['granite3', 'Here is my thought process: none.'],
  ])('of %s are text if no mark ends the reasoning: %j', (format, text) => {
    expect(readAnyhow(text, options(format))).toEqual({ content: text, reasoning: '', calls: [] });
  });

  test.each([
    ['harmony', 'analysis hmassistantfinalHello'],
    ['granite3', 'Here is my thought process: hm Here is my response: Hello'],
  ])('of %s open reasoning if a mark ends it: %j', (format, text) => {
    expect(readAnyhow(text, options(format))).toMatchObject({ content: 'Hello' });
    expect(readAnyhow(text, options(format)).reasoning.trim()).toBe('hm');
  });
});

describe('headers of harmony', () => {
  test.each([
    'Sure. <|channel|>commentary<|message|>Hello<|end|>',
    'Sure. <|channel|>commentary to=user<|message|>Hello<|end|><|start|>assistant<|channel|>final<|message|><|return|>',
    'Sure. <|start|>assistant<|channel|>commentary to=user<|message|>Hello',
    '<|channel|>commentary<|channel|>final<|message|>Sure. Hello',
    '<|channel|>commentary to=user<|channel|>final<|message|>Sure. Hello<|return|>',
    'commentary<|message|>Sure. <|end|>final<|message|>Hello<|return|>',
    '<|message|>Sure. Hello<|end|>',
    '<|channel|>commentarySure. Hello',
    'Sure. Hello<|end|><|start|>assistant<|channel|>commentary',
    'Sure. Hello<|channel|>commentary to=user',
    'Sure. Hello<|channel|>commentary to=assistant',
    '<|channel|>commentary to=assistant<|channel|>final<|message|>Sure. Hello<|return|>',
    '<|start|>assistant<|channel|>commentary to=assistantSure. Hello<|end|>',
    'assistantcommentarySure. assistantfinalHello',
  ])('leave no mark in the text: %j', (text) => {
    for (const tools of [[], undefined]) {
      const { content } = readAnyhow(text, { format: 'harmony', ...(tools && { tools }) });
      expect(content).toBe('Sure. Hello');
    }
  });

  test.each([
    'Sure. Hello<|channel|>commentary to=assistant',
    '<|channel|>commentary to=assistant<|channel|>final<|message|>Sure. Hello<|return|>',
    '<|start|>assistant<|channel|>commentary to=assistantSure. Hello<|end|>',
    '<|channel|>commentary to=userSure. Hello',
    '<|channel|>commentarySure. Hello',
  ])('leave no mark in the text of a model of an unknown family: %j', (text) => {
    expect(readAnyhow(text, { format: 'auto' })).toEqual({ content: 'Sure. Hello', reasoning: '', calls: [] });
  });

  test('at the beginning of the text leave no mark even if no tools are offered', () => {
    const text = '<|channel|>commentary to=assistantSure. Hello';
    expect(readAnyhow(text, { format: 'auto', tools: [] }).content).toBe('Sure. Hello');
  });

  test.each([
    '<|channel|>analysis<|message|>hm<|channel|>commentary<|message|>Hello',
    '<|channel|>analysis<|message|>hm<|end|>commentary<|message|>Hello',
    'analysishmassistantcommentaryHello',
    '<|channel|>analysishm<|end|><|channel|>final<|message|>Hello',
  ])('end the reasoning before them: %j', (text) => {
    expect(readAnyhow(text, { format: 'harmony' })).toEqual({ content: 'Hello', reasoning: 'hm', calls: [] });
  });

  test.each([
    ' to=functions.get_tide<|channel|>commentary json<|message|>{"port": "Brest"}<|call|>',
    'analysishmassistantcommentary to=functions.get_tide json{"port": "Brest"}',
    'Sure.<|channel|>commentary to=functions.get_tide <|constrain|>json<|message|>{"port": "Brest"}',
  ])('that name a tool become a call: %j', (text) => {
    const { calls, content } = readAnyhow(text, { format: 'harmony' });
    expect(calls).toMatchObject([{ name: 'get_tide', arguments: '{"port": "Brest"}' }]);
    expect(content).toBe(text.startsWith('Sure.') ? 'Sure.' : '');
  });
});

describe('a call of xlam in a fenced block', () => {
  const call = '[{"name": "get_tide", "arguments": {"port": "Brest"}}]';

  test.each([
    ['', `\`\`\`json\n${call}\n\`\`\``],
    ['Sure:\n', `\`\`\`json\n${call}\n\`\`\``],
    ['Sure:\n', `\`\`\`\n${call}\n\`\`\``],
    ['Sure:\n', `\`\`\`JSON\n${call}\n\`\`\``],
    ['Sure:\n', `\`\`\`tool_call\n${call.slice(1, -1)}\n\`\`\``],
    ['First:\n```python\nprint(1)\n```\nThen:\n', `\`\`\`json\n${call}\n\`\`\``],
  ])('is a call after %j', (before, block) => {
    for (const reasoning of ['', '<think>hm</think>']) {
      const { calls, content } = readAnyhow(reasoning + before + block, { format: 'xlam' });
      expect(calls).toMatchObject([{ name: 'get_tide', arguments: '{"port": "Brest"}' }]);
      expect(content).toBe(before);
    }
  });

  test.each([
    `\`\`\`python\nprint(1)\n\`\`\`\n${call}`,
    'Look:\n```json\n{"name": "Alice", "arguments": {}}\n```\nDone.',
    'Look:\n```json\n{"port": "Brest"}\n```',
    'Use ```json fences``` here.',
  ])('is text if the block is not a call: %j', (text) => {
    expect(readAnyhow(text, { format: 'xlam' })).toEqual({ content: text, reasoning: '', calls: [] });
  });
});
