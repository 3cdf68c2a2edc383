import { type AnswerEncoding, type AnswerFrames, answerFrames, closing } from './answer-frames.ts';
import { encodeCallSignature } from './encode-call-signature.ts';
import { encodeLogprobs } from './encode-logprobs.ts';
import { encodeFinishReason } from './finish-reason.ts';
import { SignedThoughts } from './signed-thoughts.ts';
import { type ChoiceEncoder, type ChoicesEncoder, streamEncoder } from './stream-encoder.ts';

/** Encodes an answer as chat completion chunks in the contract's order. */
export function chatStreamEncoder(encoding: AnswerEncoding): ChatStreamEncoder {
  const frames = answerFrames('chat.completion.chunk', encoding);
  const encoder = streamEncoder(frames, (index) => chatChoiceEncoder(index, frames, encoding.logprobs));
  return { ...encoder, openPiece: (type) => openPiece(0, frames, type) };
}

export interface ChatStreamEncoder extends ChoicesEncoder {
  /** What stands before the JSON of each piece of text of the first choice; `closePiece` stands behind it. */
  openPiece(type: PieceType): string;
}

type PieceType = 'text-delta' | 'reasoning-delta';

/** Stands behind the JSON of each piece of text. */
export const closePiece = `},"finish_reason":null,"logprobs":null}${closing}`;

function openPiece(index: number, { opening }: AnswerFrames, type: PieceType): string {
  return `${opening}{"index":${index},"delta":{"${type === 'text-delta' ? 'content' : 'reasoning_content'}":`;
}

function chatChoiceEncoder(index: number, frames: AnswerFrames, showLogprobs: boolean): ChoiceEncoder {
  const open = `${frames.opening}{"index":${index},"delta":{`;
  const openText = openPiece(index, frames, 'text-delta');
  const openReasoning = openPiece(index, frames, 'reasoning-delta');
  const close = closePiece;
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
