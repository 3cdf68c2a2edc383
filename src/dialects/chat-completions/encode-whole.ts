import type { StreamEvent } from '../../core/stream-event.ts';
import { type AnswerEncoding } from './answer-frames.ts';
import { encodeLogprobs } from './encode-logprobs.ts';
import { encodeUsage } from './encode-usage.ts';
import { encodeFinishReason } from './finish-reason.ts';
import { type WholeChoice, wholeAnswer } from './whole-answer.ts';

/** The answer as one `chat.completion` object, for callers who opted out of the stream. */
export function encodeWholeChat(events: readonly StreamEvent[], encoding: AnswerEncoding) {
  const { choices, usage } = wholeAnswer(events);
  return {
    id: encoding.id,
    object: 'chat.completion',
    created: encoding.created,
    model: encoding.model,
    system_fingerprint: null,
    choices: choices.map((choice) => encodeChoice(choice, encoding.logprobs)),
    usage: encodeUsage(usage, encoding.usageSource),
  };
}

function encodeChoice(choice: WholeChoice, showLogprobs: boolean) {
  const hasCalledTools = choice.toolCalls.length > 0;
  const hasLogprobs = choice.textLogprobs.length > 0 || choice.reasoningLogprobs.length > 0;
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      // A message that only calls tools says nothing, which is null in this format.
      content: choice.text === '' && hasCalledTools ? null : choice.text,
      ...(choice.reasoning !== '' && { reasoning_content: choice.reasoning }),
      ...(hasCalledTools && { tool_calls: choice.toolCalls.map(encodeToolCall) }),
    },
    finish_reason: encodeFinishReason(choice.finish, hasCalledTools),
    logprobs: showLogprobs && hasLogprobs ? encodeChoiceLogprobs(choice) : null,
  };
}

function encodeToolCall(call: WholeChoice['toolCalls'][number]) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function encodeChoiceLogprobs({ textLogprobs, reasoningLogprobs }: WholeChoice) {
  const { content } = encodeLogprobs('text-delta', textLogprobs);
  const { reasoning_content } = encodeLogprobs('reasoning-delta', reasoningLogprobs);
  return { content, reasoning_content: reasoningLogprobs.length > 0 ? reasoning_content : null };
}
