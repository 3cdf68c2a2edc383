import { describe, expect, test } from 'vitest';
import {
  callUpstream,
  chatRequest,
  type CollectedAnswer,
  readAnswer,
  textMessage,
} from '../../../../test/call-upstream.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Message } from 'chat-formats/chat/message.ts';
import { simulated } from './simulated.ts';
import { tokensOf } from './tokens.ts';

const upstream = simulated({ name: 'simulated', newId: () => 'id', tokenDelayMs: 0 });
const user = (text: string): readonly Message[] => [textMessage('user', text)];
const answerTo = (
  text: string,
  changes: Partial<ChatRequest> = {},
  model = 'sim-chat-2026-01-01',
): Promise<CollectedAnswer> => callUpstream(upstream, model, chatRequest({ messages: user(text), ...changes }));
const finishOf = ({ events }: CollectedAnswer) => events.findLast((event) => event.type === 'finish')?.reason;
const usageOf = ({ events }: CollectedAnswer) => events.findLast((event) => event.type === 'usage')?.usage;

describe('a simulated model', () => {
  test('answers token by token, the same each time, and reports its usage', async () => {
    const first = await answerTo('hello');
    expect(first).toMatchObject({ outcome: 'complete', text: expect.stringMatching(/^Hello!.*simulated/) });
    expect(first.batches.length).toBe(tokensOf(first.text).length + 2);
    expect(first.events.slice(-2).map(({ type }) => type)).toEqual(['finish', 'usage']);
    expect(usageOf(first)).toMatchObject({
      promptTokens: 4,
      completionTokens: tokensOf(first.text).length,
      source: 'upstream',
    });
    expect(await answerTo('hello')).toEqual(first);
  });

  test.each([
    ['What is the weather in Oslo?', 'What is the weather in Oslo?'],
    ['count to 5', '1, 2, 3, 4, 5.'],
    ['what is 17 * 3?', '17 * 3 = 51.'],
    ['thanks!', 'welcome'],
    ['你好', '模拟模型'],
    ['', 'empty message'],
  ])('answers %j with text that contains %j', async (message, part) => {
    expect((await answerTo(message)).text).toContain(part);
  });

  test('stops at max_tokens with the finish reason length', async () => {
    const cut = await answerTo('hello', { maxTokens: 3 });
    expect([cut.text, finishOf(cut), usageOf(cut)?.completionTokens]).toEqual(['Hello! How', 'length', 3]);
    const whole = await answerTo('thanks');
    expect(finishOf(await answerTo('thanks', { maxTokens: usageOf(whole)!.completionTokens }))).toBe('stop');
  });

  test('stops before a stop sequence', async () => {
    const stopped = await answerTo('count to 9', { stop: ['7', ', 4', ''] });
    expect([stopped.text, finishOf(stopped)]).toEqual(['1, 2, 3', 'stop']);
  });

  test('returns the requested number of choices', async () => {
    const { events } = await answerTo('hello', { choices: 3 });
    expect(events.filter(({ type }) => type === 'finish').map((event) => 'choice' in event && event.choice)).toEqual([
      0, 1, 2,
    ]);
  });

  test('answers with JSON if the request requires it', async () => {
    const { text } = await answerTo('hello', { answerFormat: 'json' });
    expect(JSON.parse(text)).toMatchObject({ simulated: true });
    const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
    const shaped = await answerTo('hello', { answerFormat: { name: undefined, schema, strict: undefined } });
    expect(JSON.parse(shaped.text)).toEqual({ age: 1 });
  });

  test('returns log probabilities with the requested number of alternatives', async () => {
    const odds = async (changes: Partial<ChatRequest>) => {
      const [first] = (await answerTo('hello', changes)).events;
      return first?.type === 'text-delta' ? first.logprobs : undefined;
    };
    expect(await odds({})).toBeUndefined();
    expect(await odds({ logprobs: true })).toMatchObject([
      { token: 'Hello', bytes: [72, 101, 108, 108, 111], alternatives: undefined },
    ]);
    expect(await odds({ logprobs: true, topLogprobs: 0 })).toMatchObject([{ alternatives: [] }]);
    const most =
      (await odds({ logprobs: true, topLogprobs: 20 }))?.[0]?.alternatives?.map(({ logprob }) => logprob) ?? [];
    expect(most.length).toBe(20);
    expect(most).toEqual(most.toSorted((a, b) => b - a));
    expect(most.every((logprob) => logprob < 0)).toBe(true);
  });
});

describe('a simulated reasoning model', () => {
  test('reasons first, unless reasoning is disabled', async () => {
    const thinking = await answerTo('hello', {}, 'sim-think');
    expect(thinking.events[0]?.type).toBe('reasoning-delta');
    expect(thinking.reasoning).toContain('hello');
    expect(usageOf(thinking)?.reasoningTokens).toBe(tokensOf(thinking.reasoning).length);
    expect((await answerTo('hello', { thinking: 'disabled' }, 'sim-think')).reasoning).toBe('');
    expect((await answerTo('hello', { effort: 'max' }, 'sim-think')).reasoning.length).toBeGreaterThan(
      thinking.reasoning.length,
    );
  });
});

describe('a simulated model with tools', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
    required: ['city', 'unit'],
  };
  const tools = [
    { name: 'get_time', description: undefined, parameters: undefined },
    { name: 'get_weather', description: 'Weather of a city', parameters },
  ];
  const argumentsOf = ({ events }: CollectedAnswer) =>
    events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
  const called = ({ events }: CollectedAnswer) =>
    events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : []));

  test('calls the matching tool with arguments that match its schema', async () => {
    const reply = await answerTo('What is the weather?', { tools }, 'sim-tools');
    expect(called(reply)).toEqual(['get_weather']);
    expect(JSON.parse(argumentsOf(reply))).toEqual({ city: 'What is the weather?', unit: 'c' });
    expect(finishOf(reply)).toBe('tool-calls');
    expect(reply.text).toBe('');
  });

  test('follows `tool_choice`', async () => {
    expect(called(await answerTo('weather', { tools, toolChoice: 'none' }, 'sim-tools'))).toEqual([]);
    expect(called(await answerTo('weather', { tools, toolChoice: { name: 'get_time' } }, 'sim-tools'))).toEqual([
      'get_time',
    ]);
    expect(called(await answerTo('hello', { tools, toolChoice: 'required' }, 'sim-chat'))).toEqual(['get_time']);
    expect(called(await answerTo('weather', { tools }, 'sim-chat'))).toEqual([]);
  });

  test('uses the result of the tool', async () => {
    const messages: readonly Message[] = [
      ...user('weather?'),
      { role: 'assistant', content: [{ type: 'tool-call', id: 'call_id', name: 'get_weather', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'call_id', content: [{ type: 'text', text: '21 degrees' }], isError: false },
    ];
    const reply = await callUpstream(upstream, 'sim-tools', chatRequest({ messages, tools }));
    expect(reply.text).toContain('21 degrees');
    expect(finishOf(reply)).toBe('stop');
  });
});

describe('an agent of a framework', () => {
  const tool = (name: string, description?: string) => ({ name, description, parameters: undefined });
  const result = (text: string): Message => ({
    role: 'tool',
    toolCallId: 'call_id',
    content: [{ type: 'text', text }],
    isError: false,
  });

  /** Runs tools until the model calls no more, and returns the names of the called tools. */
  async function run(changes: Partial<ChatRequest>, afterResult: readonly Message[] = [], model = 'sim-tools') {
    const messages: Message[] = [...user('What is the weather?')];
    const called: string[] = [];
    for (let step = 0; step < 10; step++) {
      const { events } = await callUpstream(upstream, model, chatRequest({ ...changes, messages }));
      const start = events.find((event) => event.type === 'tool-call-start');
      if (!start) return called;
      called.push(start.name);
      const given = events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
      const call = { type: 'tool-call' as const, id: 'call_id', name: start.name, arguments: given };
      messages.push({ role: 'assistant', content: [call] }, result('21 degrees'), ...afterResult);
    }
    throw new Error('the agent did not end');
  }

  const weather = tool('get_weather', 'Weather of a city');
  const ending = tool('final_answer', 'Ends the run');

  test.each<[string, Partial<ChatRequest>, readonly string[]]>([
    ['may call', { tools: [weather] }, ['get_weather']],
    ['must call', { tools: [weather], toolChoice: 'required' }, ['get_weather']],
    ['must call one', { tools: [weather], toolChoice: { name: 'get_weather' } }, ['get_weather']],
    ['may end with a tool', { tools: [ending, weather] }, ['get_weather', 'final_answer']],
    ['must end with a tool', { tools: [ending, weather], toolChoice: 'required' }, ['get_weather', 'final_answer']],
    ['can only end', { tools: [ending], toolChoice: 'required' }, ['final_answer']],
  ])('that %s ends', async (_, changes, called) => {
    expect(await run(changes)).toEqual(called);
    // Some agents add reminders after the results, or continue in the user's name.
    expect(await run(changes, user('Reminder: be kind.'))).toEqual(called);
  });

  test('calls the next tool if it is forced to, and the same tool again for another question', async () => {
    const call = { type: 'tool-call' as const, id: 'call_id', name: 'get_weather', arguments: '{}' };
    const firstRound: Message[] = [...user('Weather?'), { role: 'assistant', content: [call] }, result('21 degrees')];
    const named = chatRequest({ messages: firstRound, tools: [weather, ending], toolChoice: { name: 'final_answer' } });
    const { events } = await callUpstream(upstream, 'sim-chat', named);
    expect(events.find((event) => event.type === 'tool-call-start')).toMatchObject({ name: 'final_answer' });
    const again = [...firstRound, textMessage('assistant', 'It is warm.'), ...user('And the weather tomorrow?')];
    const reply = await callUpstream(upstream, 'sim-tools', chatRequest({ messages: again, tools: [weather] }));
    expect(reply.events.some((event) => event.type === 'tool-call-start')).toBe(true);
  });

  test('that repeats the same question ends', async () => {
    const repeated = [textMessage('assistant', 'Hm.'), ...user('What is the weather?')];
    expect(await run({ tools: [weather], toolChoice: 'required' }, repeated)).toEqual(['get_weather', 'get_weather']);
  });
});

describe('a reader of a simulated answer', () => {
  const begin = (signal = new AbortController().signal) =>
    upstream.open(
      { model: 'sim-chat', thinking: false, request: chatRequest({ messages: user('count to 99') }), credential: 0 },
      signal,
    );
  const ticks = async (count: number): Promise<void> => {
    for (let tick = 0; tick < count; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  test('can pause and resume without losing an event', async () => {
    const flow = await begin();
    let batches = 0;
    const over = readAnswer(flow, () => {
      batches += 1;
      if (batches === 3) flow.pause();
    });
    await ticks(20);
    expect(batches).toBe(3);
    flow.resume();
    expect((await over).text).toBe(`${Array.from({ length: 99 }, (_, index) => index + 1).join(', ')}.`);
  });

  test('can cancel', async () => {
    const flow = await begin();
    let batches = 0;
    void readAnswer(flow, () => {
      batches += 1;
      flow.cancel();
    });
    await ticks(20);
    expect(batches).toBe(1);
  });

  test('receives an abort as a failure', async () => {
    const controller = new AbortController();
    const flow = await begin(controller.signal);
    expect(await readAnswer(flow, () => controller.abort(new Error('gone')))).toMatchObject({
      outcome: 'failed',
      error: new Error('gone'),
    });
  });
});

test('tokens joined are the text', () => {
  for (const text of ['Hello,  world!\n', '  ', '你好😀 supercalifragilistic', '\ud800'])
    expect(tokensOf(text).join('')).toBe(text);
});
