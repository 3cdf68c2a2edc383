import type { StreamEvent } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import { type AnswerFrames, terminator } from './answer-frames.ts';

/** Turns the events of one answer into the text of server-sent events. */
export interface StreamEncoder {
  /** One text for a whole batch; empty when the batch holds only what must come last. */
  encode(batch: readonly StreamEvent[]): string;
  /** The finishes, the usage and the terminator. Throws when one is missing, which the source of the events guarantees. */
  done(): string;
}

export interface ChoicesEncoder extends StreamEncoder {
  /** What comes before everything else of a choice; empty when it has come already. */
  begin(choice: number): string;
}

/** The frames of one choice in one wire format. */
export interface ChoiceEncoder {
  /** What comes before everything else of the choice. */
  begin(): string;
  delta(event: DeltaEvent): string;
  finish(finish: FinishEvent): string;
}

export type DeltaEvent = Exclude<StreamEvent, { type: 'finish' | 'usage' | 'usage-so-far' | 'verbatim' | 'anomaly' }>;
export type FinishEvent = Extract<StreamEvent, { type: 'finish' }>;

/** Finishes are kept back to the end: nothing may come after them, and an answer that fails must not have shown any. */
export function streamEncoder(frames: AnswerFrames, encoderFor: (choice: number) => ChoiceEncoder): ChoicesEncoder {
  const choices = new Map<number, ChoiceEncoder>();
  const finishes = new Map<number, FinishEvent>();
  let counted: Usage | undefined;

  const open = (index: number): ChoiceEncoder => {
    const choice = encoderFor(index);
    choices.set(index, choice);
    return choice;
  };
  const encodeDelta = (event: DeltaEvent): string => {
    const known = choices.get(event.choice);
    if (known) return known.delta(event);
    const choice = open(event.choice);
    return choice.begin() + choice.delta(event);
  };

  return {
    encode(batch) {
      let text = '';
      for (const event of batch) {
        if (event.type === 'finish') finishes.set(event.choice, event);
        else if (event.type === 'usage') counted = event.usage;
        else if (isDelta(event)) text += encodeDelta(event);
      }
      return text;
    },
    begin: (index) => (choices.has(index) ? '' : open(index).begin()),
    done() {
      let text = '';
      for (const index of finishes.keys()) if (!choices.has(index)) text += open(index).begin();
      for (const [index, choice] of choices) {
        const finish = finishes.get(index);
        if (!finish) throw new Error(`Choice ${index} has no finish.`);
        text += choice.finish(finish);
      }
      if (!counted) throw new Error('The answer has no usage.');
      return text + frames.usage(counted) + terminator;
    },
  };
}

function isDelta(event: Exclude<StreamEvent, { type: 'finish' | 'usage' }>): event is DeltaEvent {
  return event.type !== 'anomaly' && event.type !== 'usage-so-far' && event.type !== 'verbatim';
}
