import type { AssistantPart } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';

/** Promises of the contract that a model can break by what it says, so that it has to be asked again. */
export type CheckedConstraint = 'strict' | 'tool_choice' | 'json';

/** What a client has been sent already. */
export interface Gone {
  readonly reasoning: boolean;
  readonly text: boolean;
  readonly calls: boolean;
}

/** An answer that was not to be passed on. */
export interface SpoiltAnswer {
  /** What the model said, as a turn of the conversation: its thoughts, its text and its calls as whole as they came. */
  readonly said: readonly AssistantPart[];
  /** What the provider says that it used, if it came to saying so. */
  readonly usage: Usage | undefined;
  readonly gone: Gone;
}

/**
 * A model did not do as it was told. A gate fails with it, having let its provider go; nothing of the call or the value
 * that breaks the promise has gone out, unless `gone` says so.
 */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation';
  readonly promise: CheckedConstraint;
  /** What was wrong, in words for the model and for people. They may repeat what the model said, and the client's schema. */
  readonly words: string;
  readonly answer: SpoiltAnswer;

  constructor(promise: CheckedConstraint, words: string, answer: SpoiltAnswer) {
    super(words);
    this.promise = promise;
    this.words = words;
    this.answer = answer;
  }

  /**
   * Whether another answer can take the place of this one. Thoughts before it do no harm. A better call may follow a text
   * that has gone out, since the text is part of the same turn; a better text cannot follow a text, and a call that a client
   * may be running by now must not be made twice.
   */
  get canBeAskedAgain(): boolean {
    const { text, calls } = this.answer.gone;
    return !calls && (!text || this.promise === 'strict');
  }

  /** The same, told by a later gate that has held back more. */
  seenWith(gone: Gone): ConstraintViolation {
    return new ConstraintViolation(this.promise, this.words, { ...this.answer, gone });
  }
}
