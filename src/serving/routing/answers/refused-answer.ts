import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { isContent, type StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { BufferedFlow } from '../../upstreams/answer/buffered-flow.ts';
import { awaitFirstContent, EmptyAnswer } from './first-content.ts';

/** An answer that the provider's content filter ended without output: another model may answer instead. */
export class RefusedAnswer extends Error {
  /** The answer as it was received, in case no other model gives a better one. */
  readonly flow: EventFlow;

  constructor(flow: EventFlow) {
    super('the filter of the provider ended the answer');
    this.name = 'RefusedAnswer';
    this.flow = flow;
  }
}

/** Resolves with the flow once it has output; rejects with a `RefusedAnswer` if the filter ended it before. */
export async function awaitContent(
  source: EventFlow,
  onEarlyEvents: (events: readonly StreamEvent[]) => void,
): Promise<EventFlow> {
  const early: StreamEvent[] = [];
  const keep = (events: readonly StreamEvent[]): void => {
    early.push(...events);
    onEarlyEvents(events);
  };
  try {
    return await awaitFirstContent(source, keep, isSaid);
  } catch (error) {
    const hasEnded = error instanceof GatewayError && error.cause instanceof EmptyAnswer;
    throw hasEnded && early.some(isRefusal) ? new RefusedAnswer(flowOf(early)) : error;
  }
}

/** Whether the event is output that a client sees and that no other model should replace. */
export function isSaid(event: StreamEvent): boolean {
  // A verbatim event is output only if the events next to it are.
  return isContent(event) && event.type !== 'verbatim' && !isRefusal(event);
}

export function isRefusal(event: StreamEvent): boolean {
  return event.type === 'finish' && event.reason === 'content-filter';
}

/** Replays the answer from its beginning to its end. */
function flowOf(events: readonly StreamEvent[]): EventFlow {
  const flow = new BufferedFlow({ pause: () => {}, resume: () => {}, cancel: () => {} });
  flow.deliver(events);
  flow.end();
  return flow;
}
