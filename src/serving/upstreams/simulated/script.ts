import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { type Message, textOf } from 'chat-formats/chat/message.ts';
import type { Logprobs, StreamEvent, TokenAlternative } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import type { UpstreamCall } from '../upstream.ts';
import { sampleValue } from './sample-value.ts';
import { toolRoundOf, toolToCall } from './tool-to-call.ts';
import { countTokens, tokensOf } from './tokens.ts';

/** Yields all events of a simulated answer lazily, one per token. */
export function* scriptFor(call: UpstreamCall, newId: () => string): Generator<StreamEvent> {
  const { request } = call;
  let completionTokens = 0;
  let reasoningTokens = 0;
  for (let choice = 0; choice < request.choices; choice += 1) {
    for (const event of choiceScript(call, choice, newId)) {
      if (event.type === 'reasoning-delta') reasoningTokens += 1;
      if (event.type !== 'tool-call-start' && event.type !== 'finish') completionTokens += 1;
      yield event;
    }
  }
  yield { type: 'usage', usage: usageOf(request.messages, completionTokens, reasoningTokens) };
}

function* choiceScript(call: UpstreamCall, choice: number, newId: () => string): Generator<StreamEvent> {
  const { request } = call;
  let tokensLeft = request.maxTokens ?? Number.POSITIVE_INFINITY;
  for (const event of completeAnswer(call, choice, newId)) {
    if (event.type !== 'tool-call-start' && event.type !== 'finish') {
      if (tokensLeft <= 0) {
        yield { type: 'finish', choice, reason: 'length', raw: 'length' };
        return;
      }
      tokensLeft -= 1;
    }
    yield event;
  }
}

function* completeAnswer(call: UpstreamCall, choice: number, newId: () => string): Generator<StreamEvent> {
  const { request, model } = call;
  const prompt = lastUserText(request.messages);
  if (model.includes('think') && request.thinking !== 'disabled') {
    for (const token of tokensOf(reasoningOn(prompt, request.effort === 'max'))) {
      yield { type: 'reasoning-delta', choice, text: token, ...odds(request, token) };
    }
  }
  const called = toolToCall(call, prompt);
  if (called) {
    yield { type: 'tool-call-start', choice, call: 0, id: `call_${newId()}`, name: called.name };
    for (const token of tokensOf(called.arguments)) {
      yield { type: 'tool-call-delta', choice, call: 0, arguments: token };
    }
    yield { type: 'finish', choice, reason: 'tool-calls', raw: 'tool_calls' };
    return;
  }
  const { text, stopSequence } = beforeStop(answerText(request, prompt, choice), request.stop);
  for (const token of tokensOf(text)) {
    yield { type: 'text-delta', choice, text: token, ...odds(request, token) };
  }
  yield { type: 'finish', choice, reason: 'stop', raw: 'stop', ...(stopSequence !== undefined && { stopSequence }) };
}

function answerText(request: ChatRequest, prompt: string, choice: number): string {
  const { result } = toolRoundOf(request.messages);
  const text = result ? reportOf(textOf(result.content)) : smallTalk(prompt);
  const wording = choice === 0 ? text : `In other words (${choice + 1}): ${text}`;
  const { answerFormat } = request;
  if (typeof answerFormat === 'object') return JSON.stringify(sampleValue(answerFormat.schema, prompt));
  return answerFormat === 'json' ? JSON.stringify({ answer: wording, simulated: true }) : wording;
}

function lastUserText(messages: readonly Message[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content ?? []);
}

function beforeStop(text: string, stops: readonly string[]): { text: string; stopSequence: string | undefined } {
  const sequences = stops.filter((stop) => stop !== '');
  const hits = sequences.map((stop) => ({ stop, end: text.indexOf(stop) })).filter(({ end }) => end >= 0);
  const [first] = hits.sort((left, right) => left.end - right.end);
  return { text: first ? text.slice(0, first.end) : text, stopSequence: first?.stop };
}

function odds(request: ChatRequest, token: string) {
  return request.logprobs ? { logprobs: simulatedLogprobs(token, request.topLogprobs) } : undefined;
}

const messageOverheadTokens = 3;

function usageOf(messages: readonly Message[], completionTokens: number, reasoningTokens: number) {
  const promptTokens = messages.reduce(
    (sum, { content }) => sum + messageOverheadTokens + countTokens(textOf(content)),
    0,
  );
  return {
    ...unreportedUsage,
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    reasoningTokens,
    source: 'upstream' as const,
  };
}

const candidates = 'the a to of and in is it you that for on with as at by be or not so if'
  .split(' ')
  .map((word) => ` ${word}`);

/** Returns made-up log probabilities for a token: plausible, the same each time, in descending order. */
function simulatedLogprobs(token: string, topLogprobs: number | undefined): Logprobs {
  const chosen = alternative(token, -0.01 - (checksum(token) % 100) / 200);
  if (topLogprobs === undefined) return [{ ...chosen, alternatives: undefined }];
  const others = candidates
    .filter((candidate) => candidate !== token)
    .map((candidate, index) => alternative(candidate, chosen.logprob - 1 - index / 4));
  return [{ ...chosen, alternatives: [chosen, ...others].slice(0, topLogprobs) }];
}

function alternative(token: string, logprob: number): TokenAlternative {
  return { token, logprob: Math.round(logprob * 1e4) / 1e4, bytes: [...Buffer.from(token)] };
}

function checksum(text: string): number {
  let sum = 7;
  for (const byte of Buffer.from(text)) sum = (sum * 31 + byte) % 65_521;
  return sum;
}

const introduction =
  'I am a simulated model inside the gateway: I answer offline, always in the same way, and know very little.';
const quotedCharactersMax = 300;

export function smallTalk(message: string): string {
  const text = message.trim();
  for (const [pattern, reply] of topics) {
    const match = pattern.exec(text);
    if (match) return reply(match);
  }
  if (text === '') return `You sent an empty message. ${introduction}`;
  return `You said: "${quoted(text)}". ${introduction} Ask me to count, to add two numbers, or configure a real provider to get real answers.`;
}

export function reportOf(toolResult: string): string {
  return `The tool answered: ${quoted(toolResult.trim()) || 'nothing'}. That is the result I would base my answer on. ${introduction}`;
}

export function reasoningOn(message: string, isThorough: boolean): string {
  const first = `The user wrote "${quoted(message.trim())}". I should answer kindly and say that I am only simulated.`;
  return isThorough
    ? `${first} Let me check that again from another side. Yes, a short and honest answer is best.`
    : first;
}

type Topic = readonly [pattern: RegExp, reply: (match: RegExpExecArray) => string];

const topics: readonly Topic[] = [
  [/^(?:hi|hello|hey|good (?:morning|evening))\b/i, () => `Hello! How can I help you? ${introduction}`],
  [/^(?:你好|您好)/, () => '你好！我是网关内置的模拟模型，可以离线回答，但懂得很少。'],
  [/^(?:thanks|thank you)\b/i, () => 'You are welcome!'],
  [/^(?:bye|goodbye)\b/i, () => 'Goodbye, and come back soon!'],
  [/\b(?:who|what) are you\b/i, () => introduction],
  [/\bcount (?:up )?to (\d{1,3})\b/i, ([, last]) => `${counted(Number(last))}.`],
  [
    /(-?\d{1,9})\s*([-+*×])\s*(-?\d{1,9})/,
    ([whole, a, sign, b]) => `${whole} = ${calculated(Number(a), sign, Number(b))}.`,
  ],
];

function counted(last: number): string {
  return Array.from({ length: last }, (_, index) => index + 1).join(', ');
}

function calculated(a: number, sign: string | undefined, b: number): number {
  if (sign === '+') return a + b;
  return sign === '-' ? a - b : a * b;
}

function quoted(text: string): string {
  const characters = Array.from(text.slice(0, quotedCharactersMax * 2));
  return characters.length > quotedCharactersMax ? `${characters.slice(0, quotedCharactersMax).join('')}…` : text;
}
