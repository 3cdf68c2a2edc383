import type { ChoiceDecoder, TextOnlyChoice } from '../chat-completions/answer/answer-decoder.ts';
import { decodeJsonBody, StreamDecoder } from '../chat-completions/answer/stream-decoder.ts';
import { type WireObject, nonEmptyString } from '../wire-value.ts';
import { decodeLegacyLogprobs } from './legacy-logprobs.ts';
import type { StreamEvent } from '../chat/stream-event.ts';

export function completionStreamDecoder(options: { readonly templates?: boolean } = {}): StreamDecoder {
  return new StreamDecoder({ textOnlyChoice, decoder: completionChoice }, { templates: options.templates ?? true });
}

function textOnlyChoice(choice: WireObject): TextOnlyChoice | undefined {
  const text = nonEmptyString(choice.text);
  return text === undefined ? undefined : { type: 'text-delta', key: 'text', text };
}

function completionChoice(choice: number): ChoiceDecoder {
  return {
    passes: () => true,
    pushText: ({ type, text }, events) => events.push({ type, choice, text }),
    push(wire, events) {
      const text = nonEmptyString(wire.text) ?? '';
      const logprobs = decodeLegacyLogprobs(wire.logprobs);
      if (logprobs.length > 0) events.push({ type: 'text-delta', choice, text, logprobs });
      else if (text !== '') events.push({ type: 'text-delta', choice, text });
    },
    end: (_, reason) => reason,
  };
}

export function decodeCompletionBody(text: string): readonly StreamEvent[] {
  return decodeJsonBody(text, completionStreamDecoder());
}
