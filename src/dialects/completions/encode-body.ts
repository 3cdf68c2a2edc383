import { textOf } from '../../core/chat/message.ts';
import type { StreamEvent } from '../../core/chat/stream-event.ts';
import type { AnswerEncoding } from '../chat-completions/answer/answer-frames.ts';
import { encodeUsage } from '../chat-completions/answer/encode-usage.ts';
import { encodeFinishReason } from '../chat-completions/answer/finish-reason.ts';
import { type CompleteChoice, completeAnswer } from '../complete-answer.ts';
import { encodeLegacyLogprobs } from './legacy-logprobs.ts';

/** The answer as one `text_completion` object, for clients that requested no stream. */
export function encodeCompletionBody(events: readonly StreamEvent[], encoding: AnswerEncoding) {
  const { choices, usage } = completeAnswer(events);
  return {
    id: encoding.id,
    object: 'text_completion',
    created: encoding.created,
    model: encoding.model,
    system_fingerprint: null,
    choices: choices.map((choice) => encodeChoice(choice, encoding.logprobs)),
    usage: encodeUsage(usage, encoding.usageSource),
  };
}

function encodeChoice({ content, index, textLogprobs, finish }: CompleteChoice, showLogprobs: boolean) {
  const isShown = showLogprobs && textLogprobs.length > 0;
  const logprobs: unknown = isShown ? JSON.parse(encodeLegacyLogprobs(textLogprobs, 0)) : null;
  return { text: textOf(content), index, logprobs, finish_reason: encodeFinishReason(finish, false) };
}
