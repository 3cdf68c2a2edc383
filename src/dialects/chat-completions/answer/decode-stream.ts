import type { AnsweredAs } from '../../../core/request-trace.ts';
import { objectOf, type WireObject } from '../../wire-value.ts';
import { isEmpty, type TextOnlyChoice } from './answer-decoder.ts';
import { type MarkupRequest, noMarkupRequest } from '../../markup/markup-request.ts';
import { ChatChoice } from './chat-choice.ts';
import { StreamDecoder } from './stream-decoder.ts';

export interface ChatDecoding {
  /** Creates the part after `call_`, for tool calls without an id. */
  readonly newId: () => string;
  /** The request's options for markup in the text. Without them, only reasoning markup is decoded. */
  readonly markup?: MarkupRequest;
  /** Whether the client uses this format too, and gets delta fields that core does not have. */
  readonly keepsFields?: boolean;
  /** Receives the id of the completion. */
  readonly answeredAs?: AnsweredAs | undefined;
  /** Off only in tests that compare: then every chunk is parsed, even if it matches a template. */
  readonly templates?: boolean;
}

/** Decodes a provider's stream of chat completion chunks. */
export function chatStreamDecoder(decoding: ChatDecoding): StreamDecoder {
  const { newId, markup = noMarkupRequest, keepsFields = false, templates = true } = decoding;
  const decoder = (index: number, onAnomaly: (what: string) => void) =>
    new ChatChoice(index, { newId, onAnomaly, markup, keepsFields });
  return new StreamDecoder({ textOnlyChoice, decoder }, { templates, answeredAs: decoding.answeredAs });
}

const textKeys: ReadonlyMap<string, TextOnlyChoice['type']> = new Map([
  ['content', 'text-delta'],
  ['reasoning_content', 'reasoning-delta'],
  ['reasoning', 'reasoning-delta'],
]);

/** The text of a choice that holds nothing but one piece of text. */
export function textOnlyChoice(choice: WireObject): TextOnlyChoice | undefined {
  let onlyText: TextOnlyChoice | undefined;
  for (const [key, value] of Object.entries(objectOf(choice.delta) ?? {})) {
    if (key === 'role' || isEmpty(value)) continue;
    const type = textKeys.get(key);
    if (!type || onlyText || typeof value !== 'string') return undefined;
    onlyText = { type, key, text: value };
  }
  return onlyText;
}
