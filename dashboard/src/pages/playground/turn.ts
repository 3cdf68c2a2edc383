import type { AnswerPart } from './answer.ts';

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: string;
}

/** One turn of the conversation, in no format of its own. */
export type PlaygroundMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AnswerPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

/** The text of a turn's parts, without thinking and calls. */
export function textIn(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/** Arguments as a value; models may write what is no JSON, and then nothing better can be sent than none. */
export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text || '{}') as unknown;
  } catch {
    return {};
  }
}
