/** One part of an answer, in order of arrival. */
export type AnswerPart =
  | { readonly kind: 'thinking'; readonly text: string; readonly signature?: string }
  /** Encrypted reasoning. It is unreadable and must be sent back unchanged. */
  | { readonly kind: 'sealed-thinking'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string };

export type CallPart = Extract<AnswerPart, { kind: 'call' }>;

/** The usage that the stream reported. Undefined: not reported. */
export interface AnswerUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** The answer received so far, in the same form for every surface. */
export interface PlaygroundAnswer {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly parts: readonly AnswerPart[];
  readonly finish?: string | undefined;
  readonly usage?: AnswerUsage | undefined;
  readonly error?: AnswerError | undefined;
  /** Whether the final frame of a complete answer has arrived. */
  readonly isComplete: boolean;
}

export interface AnswerError {
  readonly code: string;
  readonly message: string;
}

export const emptyAnswer: PlaygroundAnswer = { parts: [], isComplete: false };

/** Appends text to the last part if it has the same kind, otherwise as a new part. */
export function withText(answer: PlaygroundAnswer, kind: 'text' | 'thinking', text: string): PlaygroundAnswer {
  const last = answer.parts.at(-1);
  if (last?.kind !== kind) return { ...answer, parts: [...answer.parts, { kind, text }] };
  return { ...answer, parts: [...answer.parts.slice(0, -1), { ...last, text: last.text + text }] };
}

export function callsOf(answer: PlaygroundAnswer): readonly CallPart[] {
  return answer.parts.filter((part) => part.kind === 'call');
}

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
