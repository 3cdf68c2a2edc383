import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { type Message, textOf } from '../../core/chat/message.ts';
import type { Logprobs, StreamEvent, TokenAlternative } from '../../core/chat/stream-event.ts';
import { unreportedUsage } from '../../core/chat/usage.ts';
import type { UpstreamCall } from '../upstream.ts';
import { sampleValue } from './sample-value.ts';
import { reasoningOn, reportOf, smallTalk } from './small-talk.ts';
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

/** Yields one choice, truncated at `max_tokens`. */
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
