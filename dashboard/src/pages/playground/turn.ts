import type { AnswerPart } from './answer.ts';

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: string;
}

/** One message of the conversation, independent of a wire format. */
export type PlaygroundMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AnswerPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

/** The text of the parts, without reasoning and calls. */
export function textIn(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/** Parses the arguments of a call. Models may write invalid JSON; an empty object is sent then. */
export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text || '{}') as unknown;
  } catch {
    return {};
  }
}
