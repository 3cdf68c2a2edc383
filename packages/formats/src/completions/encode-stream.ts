import {
  type AnswerEncoding,
  AnswerFrames,
  closing,
  type ChoiceEncoder,
  ChoicesEncoder,
  type DeltaEvent,
  type FinishEvent,
} from '../chat-completions/answer/stream-encoder.ts';
import { encodeFinishReason } from '../chat-completions/answer/finish-reason.ts';
import { encodeLegacyLogprobs } from './legacy-logprobs.ts';
import { textOf } from '../chat/message.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { encodeBody } from '../chat-completions/answer/encode-body.ts';
import type { CompleteChoice } from '../complete-answer.ts';

/** Encodes an answer as legacy completion chunks, which hold only text. */
export function completionStreamEncoder(encoding: AnswerEncoding): ChoicesEncoder {
  const frames = new AnswerFrames('text_completion', encoding);
  return new ChoicesEncoder(frames, (choice) => new CompletionChoiceEncoder(choice, frames, encoding.logprobs));
}

class CompletionChoiceEncoder implements ChoiceEncoder {
  readonly #open: string;
  readonly #afterText: string;
  readonly #showsLogprobs: boolean;
  #length = 0;

  constructor(index: number, { opening }: AnswerFrames, showsLogprobs: boolean) {
    this.#open = `${opening}{"text":`;
    this.#afterText = `,"index":${index},"logprobs":`;
    this.#showsLogprobs = showsLogprobs;
  }

  begin(): string {
    return '';
  }

  delta(event: DeltaEvent): string {
    if (event.type !== 'text-delta') return '';
    const offset = this.#length;
    this.#length += event.text.length;
    const isShown = this.#showsLogprobs && event.logprobs;
    const logprobs = isShown ? JSON.stringify(encodeLegacyLogprobs(event.logprobs, offset)) : 'null';
    return `${this.#open}${JSON.stringify(event.text)}${this.#afterText}${logprobs},"finish_reason":null}${closing}`;
  }

  finish(finish: FinishEvent): string {
    const reason = JSON.stringify(encodeFinishReason(finish, false));
    return `${this.#open}""${this.#afterText}null,"finish_reason":${reason}}${closing}`;
  }
}

/** The answer as one `text_completion` object, for clients that requested no stream. */
export function encodeCompletionBody(events: readonly StreamEvent[], encoding: AnswerEncoding) {
  return encodeBody('text_completion', events, encoding, encodeChoice);
}

function encodeChoice({ content, index, textLogprobs, finish }: CompleteChoice, showLogprobs: boolean) {
  const isShown = showLogprobs && textLogprobs.length > 0;
  const logprobs = isShown ? encodeLegacyLogprobs(textLogprobs, 0) : null;
  return { text: textOf(content), index, logprobs, finish_reason: encodeFinishReason(finish, false) };
}
