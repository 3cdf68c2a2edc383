import { type AnswerEncoding, type AnswerFrames, answerFrames } from '../chat-completions/answer-frames.ts';
import { encodeFinishReason } from '../chat-completions/finish-reason.ts';
import { type ChoiceEncoder, type StreamEncoder, streamEncoder } from '../chat-completions/stream-encoder.ts';
import { encodeLegacyLogprobs } from './legacy-logprobs.ts';

/** Encodes an answer as legacy completion chunks, which have a place for text and nothing else a model may say. */
export function completionStreamEncoder(encoding: AnswerEncoding): StreamEncoder {
  const frames = answerFrames('text_completion', encoding);
  return streamEncoder(frames, (index) => completionChoiceEncoder(index, frames, encoding.logprobs));
}

function completionChoiceEncoder(index: number, frames: AnswerFrames, showLogprobs: boolean): ChoiceEncoder {
  const open = `${frames.opening}{"text":`;
  const rest = `,"index":${index},"logprobs":`;
  const close = `${rest}null,"finish_reason":null}${frames.closing}`;
  let length = 0;

  return {
    begin: () => '',
    delta(event) {
      if (event.type !== 'text-delta') return '';
      const offset = length;
      length += event.text.length;
      if (!showLogprobs || !event.logprobs) return open + JSON.stringify(event.text) + close;
      const logprobs = encodeLegacyLogprobs(event.logprobs, offset);
      return `${open}${JSON.stringify(event.text)}${rest}${logprobs},"finish_reason":null}${frames.closing}`;
    },
    finish(finish) {
      const word = JSON.stringify(encodeFinishReason(finish, false));
      return `${open}""${rest}null,"finish_reason":${word}}${frames.closing}`;
    },
  };
}
