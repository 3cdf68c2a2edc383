import type { DeltaEvent } from './stream-encoder.ts';
import type { AssistantPart } from '../../../core/chat/message.ts';

/** Longer reasoning is sent without its signature, to limit memory. */
const keptCharactersMax = 1024 * 1024;

/** Collects the reasoning of one choice: its signature comes after it, and both are sent together. */
export class SignedReasoning {
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

/** The index identifies the details of one message when they come in deltas. */
function encodeReasoningDetail(part: ReasoningItem, index: number) {
  return part.type === 'reasoning'
    ? { type: 'reasoning.text', text: part.text, signature: part.signature, index }
    : { type: 'reasoning.encrypted', data: part.data, index };
}

function isSigned(part: AssistantPart): part is ReasoningItem {
  return part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined);
}
