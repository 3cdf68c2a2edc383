import type { ConstraintName } from '../core/guarantee.ts';
import type { ChoiceEvent } from '../core/stream-event.ts';

/** What may cut one choice off. Nothing is passed to it once the choice is over. */
export interface ChoiceCutter {
  readonly promise: ConstraintName;
  /** What may go on because of an event, with a finish behind it where the choice is cut. */
  pass(event: ChoiceEvent): readonly ChoiceEvent[];
  /** What was held back, where nothing more comes. */
  release(): readonly ChoiceEvent[];
  /** Whether the choice was ended here. */
  readonly isCut: boolean;
}
