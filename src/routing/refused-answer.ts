import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { isContent, type StreamEvent } from '../core/stream-event.ts';
import { HeldFlow } from '../upstreams/held-flow.ts';
import { awaitFirstContent, EmptyAnswer } from './first-content.ts';

/** An answer that its provider's filter ended with nothing said: another model may say something instead. */
export class RefusedAnswer extends Error {
  /** The answer as it came, for want of a better one. */
  readonly flow: EventFlow;

  constructor(flow: EventFlow) {
    super('the filter of the provider ended the answer');
    this.name = 'RefusedAnswer';
    this.flow = flow;
  }
}

/** Resolves with the same flow once something is said in it; rejects with a `RefusedAnswer` if it ends without. */
export async function heardOut(
  source: EventFlow,
  heardEarly: (events: readonly StreamEvent[]) => void,
): Promise<EventFlow> {
  const heard: StreamEvent[] = [];
  const keep = (events: readonly StreamEvent[]): void => {
    heard.push(...events);
    heardEarly(events);
  };
  try {
    return await awaitFirstContent(source, keep, isSaid);
  } catch (error) {
    const hasEnded = error instanceof GatewayError && error.cause instanceof EmptyAnswer;
    throw hasEnded && heard.some(isRefusal) ? new RefusedAnswer(flowOf(heard)) : error;
  }
}

/** Whether a client sees something that no other model should take back. */
export function isSaid(event: StreamEvent): boolean {
  // What came as it came is only said when the events beside it are.
  return isContent(event) && event.type !== 'verbatim' && !isRefusal(event);
}

export function isRefusal(event: StreamEvent): boolean {
  return event.type === 'finish' && event.reason === 'content-filter';
}

/** The answer again, from its beginning to its end. */
function flowOf(events: readonly StreamEvent[]): EventFlow {
  const flow = new HeldFlow({ pause: () => {}, resume: () => {}, cancel: () => {} });
  flow.deliver(events);
  flow.end();
  return flow;
}
