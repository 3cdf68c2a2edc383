import type { createAnthropic } from '@ai-sdk/anthropic';
import type { createOpenAI } from '@ai-sdk/openai';
import type * as Sdk from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { cases, type TranslationCase } from '../translation/cases.ts';
import { answerInResponses } from '../translation/in-responses.ts';
import { chatReply, messagesReply, responsesReply } from '../translation/scripted-replies.ts';
import { startTranslatingGateway } from '../translation/translating-gateway.ts';

/** Each major checks answers against schemas of its own, and fails on a `null` that they do not allow. */
const majors = [
  { ai: 'ai', anthropic: '@ai-sdk/anthropic', openai: '@ai-sdk/openai' },
  { ai: 'ai-6', anthropic: 'ai-6-anthropic', openai: 'ai-6-openai' },
] as const;
const surfaces = ['messages', 'responses', 'chat'] as const;
const formats = ['messages', 'responses', 'chat'] as const;
type Major = (typeof majors)[number];
type Surface = (typeof surfaces)[number];
type Answer = TranslationCase['answer'];

const cells = majors.flatMap((major) =>
  surfaces.flatMap((surface) => formats.map((format) => ({ major, name: major.ai, surface, format }))),
);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway();
});
afterAll(() => gateway.stop());

describe.each(cells)('$name on the $surface surface at a provider of $format', ({ major, surface, format }) => {
  let sdk: typeof Sdk;
  let model: Sdk.LanguageModel;
  beforeAll(async () => {
    sdk = (await load(major.ai)) as typeof Sdk;
    model = await modelOf(major, surface, `${format}-upstream`);
  });

  const call = (answer: Answer) => {
    gateway.provider.respond(`${format}-upstream`, replyOf(answer, format));
    const get_weather = sdk.tool({ inputSchema: z.object({ city: z.string() }) });
    return { model, prompt: 'What now?', maxOutputTokens: 1000, maxRetries: 0, tools: { get_weather } };
  };

  test.each(distinctAnswers)('$name is a whole answer', async ({ answer }) => {
    const result = await sdk.generateText(call(answer));
    expect(shown(result, surface)).toEqual(expected(answer, surface));
  });

  test.each(distinctAnswers)('$name is a stream', async ({ answer }) => {
    const errors: unknown[] = [];
    const result = sdk.streamText({ ...call(answer), onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(errors).toEqual([]);
    const { text, reasoningText, finishReason, toolCalls } = result;
    const over = {
      text: await text,
      reasoningText: await reasoningText,
      finishReason: await finishReason,
      toolCalls: await toolCalls,
    };
    expect(shown(over, surface)).toEqual(expected(answer, surface));
  });

  test('an object is a whole answer and a stream', async () => {
    const { tools: _, ...request } = call(surface === 'messages' ? toolAnswer : textAnswer);
    const { object } = await sdk.generateObject({ ...request, schema: place });
    expect(object).toEqual(oslo);
    const { output } = await sdk.generateText({ ...request, output: sdk.Output.object({ schema: place }) });
    expect(output).toEqual(oslo);
    const stream = sdk.streamObject({ ...request, schema: place });
    for await (const _ of stream.partialObjectStream);
    expect(await stream.object).toEqual(oslo);
  });
});

/** The other cases have an answer of these, to another request. */
const distinctAnswers = cases.filter(({ name }) => !['tool result turn', 'image'].includes(name));

const place = z.object({ city: z.string() });
const oslo = { city: 'Oslo' };
const json = JSON.stringify(oslo);
const textAnswer: Answer = {
  chat: { message: { role: 'assistant', content: json }, finish_reason: 'stop' },
  messages: { content: [{ type: 'text', text: json }], stop_reason: 'end_turn', stop_sequence: null },
};
/** The messages client of the SDK gets objects from a tool of this name. */
const called = { type: 'function', id: 'call_1', function: { name: 'json', arguments: json } };
const toolAnswer: Answer = {
  chat: { message: { role: 'assistant', content: null, tool_calls: [called] }, finish_reason: 'tool_calls' },
  messages: {
    content: [{ type: 'tool_use', id: 'call_1', name: 'json', input: oslo }],
    stop_reason: 'tool_use',
    stop_sequence: null,
  },
};

function replyOf({ chat, messages }: Answer, format: Surface): ScriptedReply {
  if (format === 'chat') return chatReply(chat);
  if (format === 'messages') return messagesReply(messages);
  const { items, end } = answerInResponses(chat);
  return responsesReply(items, end);
}

/** The types are those of the current major: the previous one has the same functions. */
function load(name: string): Promise<unknown> {
  return import(name);
}

async function modelOf({ anthropic, openai }: Major, surface: Surface, id: string): Promise<Sdk.LanguageModel> {
  const { url, key: apiKey } = gateway;
  if (surface === 'messages') {
    const provider = (await load(anthropic)) as { createAnthropic: typeof createAnthropic };
    return provider.createAnthropic({ baseURL: `${url}/anthropic/v1`, apiKey })(id);
  }
  const provider = (await load(openai)) as { createOpenAI: typeof createOpenAI };
  return provider.createOpenAI({ baseURL: `${url}/v1`, apiKey })[surface](id);
}

interface Shown {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly finishReason: string;
  readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[];
}

/** The chat client of the SDK does not read reasoning. */
function shown({ text, reasoningText, finishReason, toolCalls }: Shown, surface: Surface) {
  const calls = toolCalls.map(({ toolName, input }) => ({ toolName, input }));
  return { text, finishReason, calls, ...(surface !== 'chat' && { reasoningText }) };
}

function expected({ chat: { message, finish_reason } }: Answer, surface: Surface) {
  const { content, reasoning_content: reasoningText, tool_calls = [] } = message;
  const calls = (tool_calls as readonly { function: { name: string; arguments: string } }[]).map(
    ({ function: { name: toolName, arguments: json } }) => ({ toolName, input: JSON.parse(json) as unknown }),
  );
  const finishReason = finish_reason.replace('_', '-');
  return { text: content ?? '', finishReason, calls, ...(surface !== 'chat' && { reasoningText }) };
}
