import { type AnswerEncoding, AnswerFrames, closing } from '../chat-completions/answer/answer-frames.ts';
import { encodeFinishReason } from '../chat-completions/answer/finish-reason.ts';
import {
  type ChoiceEncoder,
  ChoicesEncoder,
  type DeltaEvent,
  type FinishEvent,
  type StreamEncoder,
} from '../chat-completions/answer/stream-encoder.ts';
import { encodeLegacyLogprobs } from './legacy-logprobs.ts';

/** Encodes an answer as legacy completion chunks, which hold only text. */
export function completionStreamEncoder(encoding: AnswerEncoding): StreamEncoder {
  return new CompletionStreamEncoder(encoding);
}

class CompletionStreamEncoder extends ChoicesEncoder {
  readonly #showsLogprobs: boolean;

  constructor(encoding: AnswerEncoding) {
    super(new AnswerFrames('text_completion', encoding));
    this.#showsLogprobs = encoding.logprobs;
  }

  protected encoderFor(choice: number): ChoiceEncoder {
    return new CompletionChoiceEncoder(choice, this.frames, this.#showsLogprobs);
  }
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
    const logprobs = isShown ? encodeLegacyLogprobs(event.logprobs, offset) : 'null';
    return `${this.#open}${JSON.stringify(event.text)}${this.#afterText}${logprobs},"finish_reason":null}${closing}`;
  }

  finish(finish: FinishEvent): string {
    const reason = JSON.stringify(encodeFinishReason(finish, false));
    return `${this.#open}""${this.#afterText}null,"finish_reason":${reason}}${closing}`;
  }
}
