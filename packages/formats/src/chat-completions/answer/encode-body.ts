import { type AssistantPart, textOf } from '../../chat/message.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { partsOf, type CompleteChoice, completeAnswer } from '../../complete-answer.ts';
import type { AnswerEncoding } from './stream-encoder.ts';
import { encodeCallSignature } from '../request/call-signature.ts';
import { encodeLogprobs } from './logprobs.ts';
import { encodeReasoningDetails } from './encode-stream.ts';
import { encodeUsage } from './encode-usage.ts';
import { encodeFinishReason } from './finish-reason.ts';

/** The answer as one `chat.completion` object, for clients that requested no stream. */
export function encodeChatBody(events: readonly StreamEvent[], encoding: AnswerEncoding) {
  return encodeBody('chat.completion', events, encoding, encodeChoice);
}

export function encodeBody<Choice>(
  object: string,
  events: readonly StreamEvent[],
  { id, created, model, logprobs, usageSource }: AnswerEncoding,
  encode: (choice: CompleteChoice, showLogprobs: boolean) => Choice,
) {
  const { choices, usage } = completeAnswer(events);
  const head = { id, object, created, model, system_fingerprint: null };
  const encoded = choices.map((choice) => encode(choice, logprobs));
  return { ...head, choices: encoded, usage: encodeUsage(usage, usageSource) };
}

function encodeChoice(choice: CompleteChoice, showLogprobs: boolean) {
  const text = textOf(choice.content);
  const reasoning = partsOf(choice, 'reasoning')
    .map((part) => part.text)
    .join('');
  const details = encodeReasoningDetails(choice.content);
  const calls = partsOf(choice, 'tool-call');
  const hasCalledTools = calls.length > 0;
  const hasLogprobs = choice.textLogprobs.length > 0 || choice.reasoningLogprobs.length > 0;
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      // This format has null content for a message that only calls tools.
      content: text === '' && hasCalledTools ? null : text,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(hasCalledTools && { tool_calls: calls.map(encodeToolCall) }),
    },
    finish_reason: encodeFinishReason(choice.finish, hasCalledTools),
    logprobs: showLogprobs && hasLogprobs ? encodeChoiceLogprobs(choice) : null,
  };
}

function encodeToolCall({ id, name, arguments: text, signature }: Extract<AssistantPart, { type: 'tool-call' }>) {
  return { id, type: 'function', function: { name, arguments: text }, ...encodeCallSignature(signature) };
}

function encodeChoiceLogprobs({ textLogprobs, reasoningLogprobs }: CompleteChoice) {
  const { content } = encodeLogprobs('text-delta', textLogprobs);
  const { reasoning_content } = encodeLogprobs('reasoning-delta', reasoningLogprobs);
  return { content, reasoning_content: reasoningLogprobs.length > 0 ? reasoning_content : null };
}
