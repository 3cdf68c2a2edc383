import type { AssistantPart } from './chat/message.ts';
import type { OwnBlock, StreamEvent, TokenLogprob } from './chat/stream-event.ts';
import type { Usage } from './chat/usage.ts';
import { append } from './append.ts';
import { type DeltaEvent, type FinishEvent, isDelta } from './chat-completions/answer/stream-encoder.ts';

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
export function completeAnswer(events: readonly StreamEvent[]) {
  const choices = new Map<number, AnswerDraft>();
  let usage: Usage | undefined;
  for (const event of events) {
    if (event.type === 'usage') usage = event.usage;
    else if (isDelta(event) || event.type === 'finish') draftOf(choices, event.choice).add(event);
  }
  if (!usage) throw new Error('The answer has no usage.');
  return {
    choices: [...choices.values()].map((draft) => draft.complete()).sort((left, right) => left.index - right.index),
    usage,
  };
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

type OpenPart = CompletePart extends infer Part ? { -readonly [Key in keyof Part]: Part[Key] } : never;
type OpenPartOf<Type extends OpenPart['type']> = Extract<OpenPart, { type: Type }>;

class AnswerDraft {
  readonly #index: number;
  readonly #parts: OpenPart[] = [];
  readonly #calls = new Map<number, OpenPartOf<'tool-call'>>();
  readonly #textLogprobs: TokenLogprob[] = [];
  readonly #reasoningLogprobs: TokenLogprob[] = [];
  #finish: FinishEvent | undefined;

  constructor(index: number) {
    this.#index = index;
  }

  add(event: DeltaEvent | FinishEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') this.#openText().text += event.text;
        append(this.#textLogprobs, event.logprobs ?? []);
        return;
      case 'reasoning-delta':
        if (event.text !== '') this.#openReasoning().text += event.text;
        append(this.#reasoningLogprobs, event.logprobs ?? []);
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
      case 'tool-call-delta': {
        const call = this.#calls.get(event.call);
        if (call) call.arguments += event.arguments;
        return;
      }
      case 'finish':
        this.#finish = event;
        return;
      default:
        event satisfies never;
    }
  }

  complete(): CompleteChoice {
    if (!this.#finish) throw new Error(`Choice ${this.#index} has no finish.`);
    return {
      index: this.#index,
      content: this.#parts.filter((part) => part.type !== 'own-block'),
      parts: this.#parts,
      textLogprobs: this.#textLogprobs,
      reasoningLogprobs: this.#reasoningLogprobs,
      finish: this.#finish,
    };
  }

  #openText(): OpenPartOf<'text'> {
    const last = this.#parts.at(-1);
    return last?.type === 'text' ? last : this.#begin({ type: 'text', text: '' });
  }

  /** After a signature, a new part begins. */
  #openReasoning(): OpenPartOf<'reasoning'> {
    const last = this.#parts.at(-1);
    if (last?.type === 'reasoning' && last.signature === undefined) return last;
    return this.#begin({ type: 'reasoning', text: '', signature: undefined });
  }

  #startCall({ call, id, name, signature }: Extract<DeltaEvent, { type: 'tool-call-start' }>): void {
    if (this.#calls.has(call)) return;
    this.#calls.set(call, this.#begin({ type: 'tool-call', id, name, arguments: '', signature }));
  }

  #begin<Part extends OpenPart>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }
}
