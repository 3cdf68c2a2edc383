import type { AssistantPart } from '../core/chat/message.ts';
import type { OwnBlock, StreamEvent, TokenLogprob } from '../core/chat/stream-event.ts';
import type { Usage } from '../core/chat/usage.ts';
import type { DeltaEvent, FinishEvent } from './chat-completions/answer/stream-encoder.ts';

/** A complete answer assembled from its events. */
export interface CompleteAnswer {
  readonly choices: readonly CompleteChoice[];
  readonly usage: Usage;
}

/** A part of an answer. An own block is passed on only in the provider's own format. */
export type CompletePart =
  | AssistantPart
  | { readonly type: 'own-block'; readonly block: NonNullable<OwnBlock['block']> };

export interface CompleteChoice {
  readonly index: number;
  /** Text, reasoning and tool calls, in the order in which each began. */
  readonly content: readonly AssistantPart[];
  /** The same, plus blocks that only the provider's own format has. */
  readonly parts: readonly CompletePart[];
  readonly textLogprobs: readonly TokenLogprob[];
  readonly reasoningLogprobs: readonly TokenLogprob[];
  readonly finish: FinishEvent;
}

/** Throws if a choice has no finish or the answer has no usage. The source of the events guarantees both. */
export function completeAnswer(events: readonly StreamEvent[]): CompleteAnswer {
  const choices = new Map<number, AnswerDraft>();
  let usage: Usage | undefined;
  for (const event of events) {
    if (event.type === 'usage') usage = event.usage;
    else if (event.type !== 'anomaly' && event.type !== 'usage-so-far' && event.type !== 'verbatim')
      draftOf(choices, event.choice).add(event);
  }
  if (!usage) throw new Error('The answer has no usage.');
  return { choices: [...choices.values()].map((draft) => draft.complete()).sort(byIndex), usage };
}

export function partsOf<Type extends AssistantPart['type']>(
  { content }: CompleteChoice,
  type: Type,
): readonly Extract<AssistantPart, { type: Type }>[] {
  return content.filter((part): part is Extract<AssistantPart, { type: Type }> => part.type === type);
}

function draftOf(choices: Map<number, AnswerDraft>, index: number): AnswerDraft {
  const known = choices.get(index);
  if (known) return known;
  const draft = new AnswerDraft(index);
  choices.set(index, draft);
  return draft;
}

/** A part whose text is still in pieces. */
type OpenPart =
  | Extract<CompletePart, { type: 'own-block' }>
  | { readonly type: 'text'; readonly pieces: string[] }
  | { readonly type: 'reasoning'; readonly pieces: string[]; signature: string | undefined }
  | { readonly type: 'redacted-reasoning'; readonly data: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly pieces: string[];
      readonly signature: string | undefined;
    };

class AnswerDraft {
  readonly #index: number;
  readonly #parts: OpenPart[] = [];
  readonly #calls = new Map<number, string[]>();
  readonly #textLogprobs: TokenLogprob[] = [];
  readonly #reasoningLogprobs: TokenLogprob[] = [];
  #finish: FinishEvent | undefined;

  constructor(index: number) {
    this.#index = index;
  }

  add(event: DeltaEvent | FinishEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') this.#textPieces().push(event.text);
        for (const record of event.logprobs ?? []) this.#textLogprobs.push(record);
        return;
      case 'reasoning-delta':
        if (event.text !== '') this.#openReasoning().pieces.push(event.text);
        for (const record of event.logprobs ?? []) this.#reasoningLogprobs.push(record);
        return;
      case 'reasoning-signature':
        this.#openReasoning().signature = event.signature;
        return;
      case 'redacted-reasoning':
        this.#parts.push({ type: 'redacted-reasoning', data: event.data });
        return;
      case 'own-block':
        if (event.block) this.#parts.push({ type: 'own-block', block: event.block });
        return;
      case 'tool-call-start':
        this.#startCall(event);
        return;
      case 'tool-call-delta':
        this.#calls.get(event.call)?.push(event.arguments);
        return;
      case 'finish':
        this.#finish = event;
        return;
      default:
        event satisfies never;
    }
  }

  complete(): CompleteChoice {
    if (!this.#finish) throw new Error(`Choice ${this.#index} has no finish.`);
    const parts = this.#parts.map(closePart);
    return {
      index: this.#index,
      content: parts.filter((part) => part.type !== 'own-block'),
      parts,
      textLogprobs: this.#textLogprobs,
      reasoningLogprobs: this.#reasoningLogprobs,
      finish: this.#finish,
    };
  }

  #textPieces(): string[] {
    const last = this.#parts.at(-1);
    if (last?.type === 'text') return last.pieces;
    const pieces: string[] = [];
    this.#parts.push({ type: 'text', pieces });
    return pieces;
  }

  /** The reasoning part in progress. After a signature, a new part begins. */
  #openReasoning(): Extract<OpenPart, { type: 'reasoning' }> {
    const last = this.#parts.at(-1);
    if (last?.type === 'reasoning' && last.signature === undefined) return last;
    const part = { type: 'reasoning' as const, pieces: [], signature: undefined };
    this.#parts.push(part);
    return part;
  }

  #startCall({ call, id, name, signature }: Extract<DeltaEvent, { type: 'tool-call-start' }>): void {
    if (this.#calls.has(call)) return;
    const pieces: string[] = [];
    this.#calls.set(call, pieces);
    this.#parts.push({ type: 'tool-call', id, name, pieces, signature });
  }
}

function closePart(part: OpenPart): CompletePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.pieces.join('') };
    case 'reasoning':
      return { type: 'reasoning', text: part.pieces.join(''), signature: part.signature };
    case 'redacted-reasoning':
    case 'own-block':
      return part;
    case 'tool-call':
      return {
        type: 'tool-call',
        id: part.id,
        name: part.name,
        arguments: part.pieces.join(''),
        signature: part.signature,
      };
    default:
      return part satisfies never;
  }
}

function byIndex(left: CompleteChoice, right: CompleteChoice): number {
  return left.index - right.index;
}
