import type { ModelRoute } from 'chat-formats/chat/model.ts';
import type { MeasuredAttempt } from '../../../core/request-trace.ts';

export interface Attempt extends MeasuredAttempt {
  readonly route: ModelRoute;
  /** How many requests were ahead of it in the queue. */
  readonly position: number;
}
