import { type AnswerEncoding, type AnswerFrames, answerFrames } from './answer-frames.ts';
import { encodeCallSignature } from './encode-call-signature.ts';
import { encodeLogprobs } from './encode-logprobs.ts';
import { encodeFinishReason } from './finish-reason.ts';
import { SignedThoughts } from './signed-thoughts.ts';
import { type ChoiceEncoder, type ChoicesEncoder, streamEncoder } from './stream-encoder.ts';

/** Encodes an answer as chat completion chunks in the contract's order. */
export function chatStreamEncoder(encoding: AnswerEncoding): ChatStreamEncoder {
  const frames = answerFrames('chat.completion.chunk', encoding);
  const encoder = streamEncoder(frames, (index) => chatChoiceEncoder(index, frames, encoding.logprobs));
  return { ...encoder, pieces: () => pieceFrames(0, frames) };
}

export interface ChatStreamEncoder extends ChoicesEncoder {
  /** What stands around the JSON of each piece of text of the first choice. */
  pieces(): PieceFrames;
}

/** What stands before text, before reasoning, and behind both. */
interface PieceFrames {
  readonly text: string;
  readonly reasoning: string;
  readonly close: string;
}

function pieceFrames(index: number, { opening, closing }: AnswerFrames): PieceFrames {
  const open = `${opening}{"index":${index},"delta":{`;
  return {
    text: `${open}"content":`,
    reasoning: `${open}"reasoning_content":`,
    close: `},"finish_reason":null,"logprobs":null}${closing}`,
  };
}

function chatChoiceEncoder(index: number, frames: AnswerFrames, showLogprobs: boolean): ChoiceEncoder {
  const open = `${frames.opening}{"index":${index},"delta":{`;
  const { text: openText, reasoning: openReasoning, close } = pieceFrames(index, frames);
  const thoughts = new SignedThoughts();
  let hasCalledTools = false;

  const toolCall = (call: object): string => `${open}"tool_calls":[${JSON.stringify(call)}]${close}`;

  return {
    begin: () => `${open}"role":"assistant","content":""${close}`,
    delta(event) {
      switch (event.type) {
        case 'text-delta':
        case 'reasoning-delta': {
          const opened = event.type === 'text-delta' ? openText : openReasoning;
          if (event.type === 'text-delta') thoughts.forget();
          else thoughts.think(event.text);
          if (!showLogprobs || !event.logprobs) return opened + JSON.stringify(event.text) + close;
          const logprobs = JSON.stringify(encodeLogprobs(event.type, event.logprobs));
          return `${opened}${JSON.stringify(event.text)}},"finish_reason":null,"logprobs":${logprobs}}${frames.closing}`;
        }
        case 'tool-call-start': {
          hasCalledTools = true;
          thoughts.forget();
          const called = { id: event.id, type: 'function', function: { name: event.name, arguments: '' } };
          return toolCall({ index: event.call, ...called, ...encodeCallSignature(event.signature) });
        }
        // Clients join deltas by index and some append what is repeated, so id and name stand in the first one only.
        case 'tool-call-delta':
          return toolCall({ index: event.call, function: { arguments: event.arguments } });
        case 'reasoning-signature':
        case 'redacted-reasoning': {
          const detail = thoughts.detail(event);
          return detail === undefined ? '' : `${open}"reasoning_details":[${detail}]${close}`;
        }
        default:
          return event satisfies never;
      }
    },
    finish(finish) {
      const word = JSON.stringify(encodeFinishReason(finish, hasCalledTools));
      return `${open}},"finish_reason":${word},"logprobs":null}${frames.closing}`;
    },
  };
}
