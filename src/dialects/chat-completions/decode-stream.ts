import type { AnsweredAs } from '../../core/request-trace.ts';
import { objectOf, type WireObject } from '../wire-value.ts';
import { isEmpty, type PlainText } from './answer-decoder.ts';
import { type AskedMarkup, nothingAsked } from '../markup/asked-markup.ts';
import { ChatChoice } from './chat-choice.ts';
import { StreamDecoder } from './stream-decoder.ts';

export interface ChatDecoding {
  /** Makes the part behind `call_` for tool calls that a provider gave no id. */
  readonly newId: () => string;
  /** What was asked for, which tells markup in the text from text; without it, only reasoning is told apart. */
  readonly asked?: AskedMarkup;
  /** Whether the client speaks this format too, and gets fields of a delta that core has no word for. */
  readonly keepsFields?: boolean;
  /** Takes the id of the completion. */
  readonly answeredAs?: AnsweredAs | undefined;
  /** Off only to compare: then chunks that look like the one before are parsed as well. */
  readonly templates?: boolean;
}

/** Decodes a provider's stream of chat completion chunks. */
export function chatStreamDecoder(decoding: ChatDecoding): StreamDecoder {
  const { newId, asked = nothingAsked, keepsFields = false, templates = true } = decoding;
  const decoder = (index: number, onAnomaly: (what: string) => void) =>
    new ChatChoice(index, { newId, onAnomaly, asked, keepsFields });
  return new StreamDecoder({ plainText, decoder }, { templates, answeredAs: decoding.answeredAs });
}

const textKeys: ReadonlyMap<string, PlainText['type']> = new Map([
  ['content', 'text-delta'],
  ['reasoning_content', 'reasoning-delta'],
  ['reasoning', 'reasoning-delta'],
]);

/** The one piece of text a choice consists of, if it says nothing else. */
export function plainText(choice: WireObject): PlainText | undefined {
  let plain: PlainText | undefined;
  for (const [key, value] of Object.entries(objectOf(choice.delta) ?? {})) {
    if (key === 'role' || isEmpty(value)) continue;
    const type = textKeys.get(key);
    if (!type || plain || typeof value !== 'string') return undefined;
    plain = { type, key, text: value };
  }
  return plain;
}
