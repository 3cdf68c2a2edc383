import type { AssistantPart } from '../chat/message.ts';
import type { Usage } from '../chat/usage.ts';

/** Constraints that a model can violate by its output, so that it must be re-prompted. */
export type CheckedConstraint = 'strict' | 'tool_choice' | 'json';

/** The kinds of output that the client has already received. */
export interface SentOutput {
  readonly reasoning: boolean;
  readonly text: boolean;
  readonly calls: boolean;
}

export interface DiscardedAnswer {
  /** The model's output as a message: reasoning, text and calls, as complete as they arrived. */
  readonly output: readonly AssistantPart[];
  /** The usage that the provider reported, if it did. */
  readonly usage: Usage | undefined;
  readonly sent: SentOutput;
}

/**
 * A model violated a constraint of the request. The gate that fails with it has cancelled its provider or read it to
 * the end. The client has received nothing of the violating call or value, unless `sent` states it.
 */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation';
  readonly constraint: CheckedConstraint;
  /** The violation, as text for the model and for people. It may quote the model's output and the client's schema. */
  readonly words: string;
  readonly answer: DiscardedAnswer;

  constructor(constraint: CheckedConstraint, words: string, answer: DiscardedAnswer) {
    super(words);
    this.constraint = constraint;
    this.words = words;
    this.answer = answer;
  }

  /**
   * Whether another answer can replace this one. Reasoning that was already sent does no harm. A corrected call may
   * follow text that was sent, because the text is part of the same turn. Corrected text cannot follow text that was
   * sent. A call that the client may already run must not be made twice.
   */
  get canBeReprompted(): boolean {
    const { text, calls } = this.answer.sent;
    return !calls && (!text || this.constraint === 'strict');
  }

  /** Returns the same violation with the `sent` of a later gate, which has held back more. */
  withSent(sent: SentOutput): ConstraintViolation {
    return new ConstraintViolation(this.constraint, this.words, { ...this.answer, sent });
  }
}
