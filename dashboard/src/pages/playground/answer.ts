/** One piece of an answer, in the order it came. */
export type AnswerPart =
  | { readonly kind: 'thinking'; readonly text: string; readonly signature?: string }
  /** Thinking the provider sent sealed: nobody can read it, and it has to go back as it came. */
  | { readonly kind: 'sealed-thinking'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string };

export type CallPart = Extract<AnswerPart, { kind: 'call' }>;

/** What an answer used, as its stream says; undefined is what it did not say. */
export interface AnswerUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** An answer as far as it was read, the same whichever surface it came over. */
export interface PlaygroundAnswer {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly parts: readonly AnswerPart[];
  readonly finish?: string | undefined;
  readonly usage?: AnswerUsage | undefined;
  readonly error?: AnswerError | undefined;
  /** Whether the frame that closes a whole answer has come. */
  readonly isWhole: boolean;
}

export interface AnswerError {
  readonly code: string;
  readonly message: string;
}

export const nothingYet: PlaygroundAnswer = { parts: [], isWhole: false };

/** The answer with more text at its end: of the last part where that is of the same kind, else as a new one. */
export function withText(answer: PlaygroundAnswer, kind: 'text' | 'thinking', text: string): PlaygroundAnswer {
  const last = answer.parts.at(-1);
  if (last?.kind !== kind) return { ...answer, parts: [...answer.parts, { kind, text }] };
  return { ...answer, parts: [...answer.parts.slice(0, -1), { ...last, text: last.text + text }] };
}

export function callsOf(answer: PlaygroundAnswer): readonly CallPart[] {
  return answer.parts.filter((part) => part.kind === 'call');
}
