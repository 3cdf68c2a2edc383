import type { ConstraintName } from '../core/chat/guarantee.ts';
import type { ChoiceEvent } from '../core/chat/stream-event.ts';

/** May cut one choice off. Receives no events after the choice is over. */
export interface ChoiceCutter {
  readonly constraint: ConstraintName;
  /** Returns the events to pass on, followed by a finish if the choice is cut. */
  pass(event: ChoiceEvent): readonly ChoiceEvent[];
  /** Returns the held events. Called when nothing more comes. */
  release(): readonly ChoiceEvent[];
  /** Whether this cutter ended the choice. */
  readonly isCut: boolean;
}
