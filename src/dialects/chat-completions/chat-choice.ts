import type { Logprobs, StreamEvent } from '../../core/stream-event.ts';
import { objectOf, type WireObject } from '../wire-value.ts';
import type { ChoiceDecoder } from './answer-decoder.ts';
import { decodeContent } from './decode-content.ts';
import { decodeLogprobs } from './decode-logprobs.ts';
import { type ThinkTagSink, thinkTag } from './think-tag.ts';
import { toolCallDecoder } from './tool-call-decoder.ts';

export interface ChatChoiceDecoding {
  readonly newId: () => string;
  readonly onAnomaly: (what: string) => void;
}

/** Decodes one choice of a chat answer, whether it comes in deltas or as a whole message. */
export function chatChoice(choice: number, { newId, onAnomaly }: ChatChoiceDecoding): ChoiceDecoder {
  const tag = thinkTag();
  const calls = toolCallDecoder(choice, newId);
  /** Records of tokens whose text is still to come, or held back. */
  let unsaid: Logprobs = [];

  const sinkInto =
    (events: StreamEvent[]): ThinkTagSink =>
    (type, text) => {
      events.push(unsaid.length > 0 ? { type, choice, text, logprobs: unsaid } : { type, choice, text });
      unsaid = [];
    };

  return {
    get isPlain() {
      return tag.isPlain;
    },
    push(wire, events) {
      const sink = sinkInto(events);
      const delta = objectOf(wire.delta) ?? objectOf(wire.message) ?? {};
      const said = decodeContent(delta);
      const logprobs = decodeLogprobs(wire.logprobs, said);
      if (said.reasoning !== '' || logprobs.reasoning.length > 0) {
        tag.standDown(sink);
        unsaid = logprobs.reasoning;
        sink('reasoning-delta', said.reasoning);
      }
      unsaid = [...unsaid, ...logprobs.text];
      if (said.text !== '') tag.push(said.text, sink);
      else if (logprobs.text.length > 0) sink('text-delta', '');
      const called = calledIn(delta);
      if (called) {
        tag.standDown(sink);
        calls.push(called, events);
      }
    },
    end(events) {
      tag.end(sinkInto(events));
      if (calls.end(events) > 0) onAnomaly('tool call without a name');
    },
  };
}

/** Tool calls, or the single call of the older form; an empty list calls nothing. */
function calledIn(delta: WireObject): unknown {
  const { tool_calls: calls, function_call: older } = delta;
  return Array.isArray(calls) && calls.length === 0 ? older : (calls ?? older);
}
