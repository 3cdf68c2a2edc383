import type { ChoiceEvent, StreamEvent } from '../../chat/stream-event.ts';
import type { Usage } from '../../chat/usage.ts';
import { encodeUsage } from './encode-usage.ts';

/** The values that every frame of one answer repeats, and the client's options for them. */
export interface AnswerEncoding {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The catalog id of the model that answers. */
  readonly model: string;
  readonly logprobs: boolean;
  readonly usageSource: string;
}

const terminator = 'data: [DONE]\n\n';

/** Follows every choice that has no usage. */
export const closing = '],"usage":null}\n\n';

export class AnswerFrames {
  readonly opening: string;
  readonly #head: string;
  readonly #usageSource: string;

  constructor(object: string, { id, created, model, usageSource }: AnswerEncoding) {
    this.#head = JSON.stringify({ id, object, created, model, system_fingerprint: null }).slice(0, -1);
    this.#usageSource = usageSource;
    this.opening = `data: ${this.#head},"choices":[`;
  }

  usage(usage: Usage): string {
    const counted = JSON.stringify(encodeUsage(usage, this.#usageSource));
    return `data: ${this.#head},"choices":[],"usage":${counted}}\n\n`;
  }
}

export interface StreamEncoder {
  /** One text for a whole batch; empty if the batch holds only events that are written at the end. */
  encode(batch: readonly StreamEvent[]): string;
  /** The finishes, the usage and the terminator. Throws if one is missing; the source of the events guarantees them. */
  done(): string;
}

export interface ChoiceEncoder {
  begin(): string;
  delta(event: DeltaEvent): string;
  finish(finish: FinishEvent): string;
}

export type DeltaEvent = Exclude<ChoiceEvent, FinishEvent>;
export type FinishEvent = Extract<StreamEvent, { type: 'finish' }>;

/** Holds finishes back until the end: no content may follow them, and an answer that fails must not show one. */
export class ChoicesEncoder implements StreamEncoder {
  readonly frames: AnswerFrames;
  readonly #encoderFor: (choice: number) => ChoiceEncoder;
  readonly #choices = new Map<number, ChoiceEncoder>();
  /** Created on first use: most answers finish once, after a long time. */
  #finishes: Map<number, FinishEvent> | undefined;
  #usage: Usage | undefined;

  constructor(frames: AnswerFrames, encoderFor: (choice: number) => ChoiceEncoder) {
    this.frames = frames;
    this.#encoderFor = encoderFor;
  }

  encode(batch: readonly StreamEvent[]): string {
    let text = '';
    for (const event of batch) {
      if (event.type === 'finish') this.#finish(event);
      else if (event.type === 'usage') this.#usage = event.usage;
      else if (isDelta(event)) text += this.#delta(event);
    }
    return text;
  }

  begin(choice: number): string {
    return this.#choices.has(choice) ? '' : this.#open(choice).begin();
  }

  done(): string {
    let text = '';
    for (const index of this.#finishes?.keys() ?? []) text += this.begin(index);
    for (const [index, choice] of this.#choices) {
      const finish = this.#finishes?.get(index);
      if (!finish) throw new Error(`Choice ${index} has no finish.`);
      text += choice.finish(finish);
    }
    if (!this.#usage) throw new Error('The answer has no usage.');
    return text + this.frames.usage(this.#usage) + terminator;
  }

  #finish(event: FinishEvent): void {
    this.#finishes ??= new Map();
    this.#finishes.set(event.choice, event);
  }

  #delta(event: DeltaEvent): string {
    const known = this.#choices.get(event.choice);
    if (known) return known.delta(event);
    const choice = this.#open(event.choice);
    return choice.begin() + choice.delta(event);
  }

  #open(index: number): ChoiceEncoder {
    const choice = this.#encoderFor(index);
    this.#choices.set(index, choice);
    return choice;
  }
}

export function isDelta(event: StreamEvent): event is DeltaEvent {
  const { type } = event;
  return type !== 'finish' && type !== 'usage' && type !== 'usage-so-far' && type !== 'verbatim' && type !== 'anomaly';
}
