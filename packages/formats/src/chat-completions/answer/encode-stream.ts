import {
  type AnswerEncoding,
  AnswerFrames,
  closing,
  type ChoiceEncoder,
  ChoicesEncoder,
  type DeltaEvent,
  type FinishEvent,
} from './stream-encoder.ts';
import { encodeCallSignature } from '../request/call-signature.ts';
import { encodeLogprobs } from './logprobs.ts';
import { encodeFinishReason } from './finish-reason.ts';
import type { AssistantPart } from '../../chat/message.ts';

/** Encodes an answer as chat completion chunks in the contract's order. */
export function chatStreamEncoder(encoding: AnswerEncoding): ChoicesEncoder {
  const frames = new AnswerFrames('chat.completion.chunk', encoding);
  return new ChoicesEncoder(frames, (choice) => new ChatChoiceEncoder(choice, frames, encoding.logprobs));
}

type PieceType = 'text-delta' | 'reasoning-delta';

/** The text after the JSON of each piece of text; `openPiece` is the text before it. */
export const closePiece = `},"finish_reason":null,"logprobs":null}${closing}`;

export function openPiece(index: number, { opening }: AnswerFrames, type: PieceType): string {
  return `${opening}{"index":${index},"delta":{"${type === 'text-delta' ? 'content' : 'reasoning_content'}":`;
}

class ChatChoiceEncoder implements ChoiceEncoder {
  readonly #index: number;
  readonly #frames: AnswerFrames;
  readonly #showsLogprobs: boolean;
  /** Created on first use: the text before pieces of each type, and the reasoning so far. */
  #openText: string | undefined;
  #openReasoning: string | undefined;
  #reasoning: SignedReasoning | undefined;
  #hasCalledTools = false;

  constructor(index: number, frames: AnswerFrames, showsLogprobs: boolean) {
    this.#index = index;
    this.#frames = frames;
    this.#showsLogprobs = showsLogprobs;
  }

  begin(): string {
    return this.#chunk('"role":"assistant","content":""');
  }

  delta(event: DeltaEvent): string {
    switch (event.type) {
      case 'text-delta':
        this.#reasoning?.clear();
        return this.#piece(event);
      case 'reasoning-delta':
        this.#signedReasoning.append(event.text);
        return this.#piece(event);
      case 'tool-call-start': {
        this.#hasCalledTools = true;
        this.#reasoning?.clear();
        const called = { id: event.id, type: 'function', function: { name: event.name, arguments: '' } };
        return this.#toolCall({ index: event.call, ...called, ...encodeCallSignature(event.signature) });
      }
      // Clients join deltas by index, and some append repeated fields. So only the first delta has the id and name.
      case 'tool-call-delta':
        return this.#toolCall({ index: event.call, function: { arguments: event.arguments } });
      case 'reasoning-signature':
      case 'redacted-reasoning': {
        const detail = this.#signedReasoning.encodeDetail(event);
        return detail === undefined ? '' : this.#chunk(`"reasoning_details":[${detail}]`);
      }
      case 'own-block':
        return event.block ? this.#chunk(JSON.stringify(event.block).slice(1, -1)) : '';
      default:
        return event satisfies never;
    }
  }

  finish(finish: FinishEvent): string {
    const reason = JSON.stringify(encodeFinishReason(finish, this.#hasCalledTools));
    return `${this.#open}},"finish_reason":${reason},"logprobs":null}${closing}`;
  }

  #piece({ type, text, logprobs }: Extract<DeltaEvent, { type: PieceType }>): string {
    const start =
      type === 'text-delta'
        ? (this.#openText ??= openPiece(this.#index, this.#frames, type))
        : (this.#openReasoning ??= openPiece(this.#index, this.#frames, type));
    if (!this.#showsLogprobs || !logprobs) return start + JSON.stringify(text) + closePiece;
    const encoded = JSON.stringify(encodeLogprobs(type, logprobs));
    return `${start}${JSON.stringify(text)}},"finish_reason":null,"logprobs":${encoded}}${closing}`;
  }

  #toolCall(call: object): string {
    return this.#chunk(`"tool_calls":[${JSON.stringify(call)}]`);
  }

  #chunk(delta: string): string {
    return this.#open + delta + closePiece;
  }

  get #open(): string {
    return `${this.#frames.opening}{"index":${this.#index},"delta":{`;
  }

  get #signedReasoning(): SignedReasoning {
    return (this.#reasoning ??= new SignedReasoning());
  }
}

/** The last frame of an answer that failed after it began. No finish, usage or terminator may follow it. */
export function encodeErrorFrame({ code, message, type }: Record<'code' | 'message' | 'type', string>): string {
  return `data: ${JSON.stringify({ error: { code, message, type } })}\n\n`;
}

/** Longer reasoning is sent without its signature, to limit memory. */
const keptCharactersMax = 1024 * 1024;

/** Collects the reasoning of one choice: its signature comes after it, and both are sent together. */
class SignedReasoning {
  #pieces: string[] = [];
  #characters = 0;
  #details = 0;

  append(text: string): void {
    this.#characters += text.length;
    if (this.#characters <= keptCharactersMax) this.#pieces.push(text);
    else if (this.#pieces.length > 0) this.#pieces = [];
  }

  /** Called when other content follows: unsigned reasoning can no longer get a signature. */
  clear(): void {
    if (this.#characters === 0) return;
    this.#pieces = [];
    this.#characters = 0;
  }

  /** The detail as JSON text, or `undefined` if the reasoning was too long to keep. */
  encodeDetail(event: Extract<DeltaEvent, { type: 'reasoning-signature' | 'redacted-reasoning' }>): string | undefined {
    const isKept = this.#characters <= keptCharactersMax;
    const text = this.#pieces.join('');
    this.clear();
    if (event.type === 'reasoning-signature' && !isKept) return undefined;
    const part =
      event.type === 'reasoning-signature'
        ? { type: 'reasoning' as const, text, signature: event.signature }
        : { type: 'redacted-reasoning' as const, data: event.data };
    return JSON.stringify(encodeReasoningDetail(part, this.#details++));
  }
}

type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** The format has no field for signatures of reasoning, so signed reasoning is listed separately. */
export function encodeReasoningDetails(content: readonly AssistantPart[]): readonly object[] {
  return content.filter(isSigned).map(encodeReasoningDetail);
}

function encodeReasoningDetail(part: ReasoningItem, index: number) {
  return part.type === 'reasoning'
    ? { type: 'reasoning.text', text: part.text, signature: part.signature, index }
    : { type: 'reasoning.encrypted', data: part.data, index };
}

function isSigned(part: AssistantPart): part is ReasoningItem {
  return part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined);
}
