import type { StreamEvent, TokenLogprob } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import type { FinishEvent } from './stream-encoder.ts';

/** A complete answer put together from its events. */
export interface WholeAnswer {
  readonly choices: readonly WholeChoice[];
  readonly usage: Usage;
}

export interface WholeChoice {
  readonly index: number;
  readonly text: string;
  readonly reasoning: string;
  readonly textLogprobs: readonly TokenLogprob[];
  readonly reasoningLogprobs: readonly TokenLogprob[];
  readonly toolCalls: readonly WholeToolCall[];
  readonly finish: Pick<FinishEvent, 'reason' | 'raw'>;
}

export interface WholeToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Throws when a choice has no finish or the answer no usage, which the source of the events guarantees. */
export function wholeAnswer(events: readonly StreamEvent[]): WholeAnswer {
  const choices = new Map<number, Draft>();
  let usage: Usage | undefined;
  for (const event of events) {
    if (event.type === 'usage') usage = event.usage;
    else if (event.type !== 'anomaly' && event.type !== 'usage-so-far' && event.type !== 'verbatim')
      draftOf(choices, event.choice).add(event);
  }
  if (!usage) throw new Error('The answer has no usage.');
  return { choices: [...choices.values()].map((draft) => draft.whole()).sort(byIndex), usage };
}

function draftOf(choices: Map<number, Draft>, index: number): Draft {
  const known = choices.get(index);
  if (known) return known;
  const draft = new Draft(index);
  choices.set(index, draft);
  return draft;
}

class Draft {
  readonly #index: number;
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #textLogprobs: TokenLogprob[] = [];
  readonly #reasoningLogprobs: TokenLogprob[] = [];
  readonly #calls = new Map<number, { id: string; name: string; pieces: string[] }>();
  #finish: FinishEvent | undefined;

  constructor(index: number) {
    this.#index = index;
  }

  add(event: Exclude<StreamEvent, { type: 'usage' | 'usage-so-far' | 'verbatim' | 'anomaly' }>): void {
    switch (event.type) {
      case 'text-delta':
        this.#text.push(event.text);
        for (const record of event.logprobs ?? []) this.#textLogprobs.push(record);
        return;
      case 'reasoning-delta':
        this.#reasoning.push(event.text);
        for (const record of event.logprobs ?? []) this.#reasoningLogprobs.push(record);
        return;
      case 'tool-call-start':
        this.#calls.set(event.call, { id: event.id, name: event.name, pieces: [] });
        return;
      case 'tool-call-delta':
        this.#calls.get(event.call)?.pieces.push(event.arguments);
        return;
      case 'finish':
        this.#finish = event;
        return;
      case 'reasoning-signature':
      case 'redacted-reasoning':
        return;
      default:
        event satisfies never;
    }
  }

  whole(): WholeChoice {
    if (!this.#finish) throw new Error(`Choice ${this.#index} has no finish.`);
    return {
      index: this.#index,
      text: this.#text.join(''),
      reasoning: this.#reasoning.join(''),
      textLogprobs: this.#textLogprobs,
      reasoningLogprobs: this.#reasoningLogprobs,
      toolCalls: [...this.#calls.values()].map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') })),
      finish: this.#finish,
    };
  }
}

function byIndex(left: WholeChoice, right: WholeChoice): number {
  return left.index - right.index;
}
