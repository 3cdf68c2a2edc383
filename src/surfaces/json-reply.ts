import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

/** More events than any model produces. Above it the upstream is faulty, and the answer must not fill the memory. */
const eventsMax = 1_000_000;

/** Waits for the complete answer and sends it as one JSON body. Nothing is sent before. */
export async function sendJsonReply(
  exchange: ReplyTarget,
  opening: Promise<InferenceAnswer>,
  encode: (answer: InferenceAnswer, events: readonly StreamEvent[]) => string | Promise<string>,
): Promise<ReplyEnd> {
  const answer = await opening;
  const events = await allEvents(answer.flow, exchange.gone);
  const body = await encode(answer, events);
  await sendRecorded(exchange, 'application/json', body);
  return { error: undefined, isClientGone: exchange.gone.aborted, isCommitted: true };
}

/** Sends a reply in one piece, after it is recorded for other processes. */
export async function sendRecorded(target: ReplyTarget, contentType: string, body: string): Promise<void> {
  await target.recorded?.(body, { kind: 'body', status: 200, contentType });
  target.send(200, contentType, body);
}

function allEvents(flow: EventFlow, gone: AbortSignal): Promise<readonly StreamEvent[]> {
  return new Promise((resolve, reject) => {
    const events: StreamEvent[] = [];
    const giveUp = (error: unknown): void => {
      gone.removeEventListener('abort', left);
      try {
        flow.cancel();
        reject(error);
      } catch (broken) {
        reject(broken);
      }
    };
    const left = (): void => giveUp(gone.reason);
    if (gone.aborted) return left();
    gone.addEventListener('abort', left);
    flow.start({
      events: (batch) => {
        for (const event of batch) events.push(event);
        if (events.length > eventsMax) giveUp(new GatewayError('upstream-failed'));
      },
      end: () => {
        gone.removeEventListener('abort', left);
        resolve(events);
      },
      fail: (error) => {
        gone.removeEventListener('abort', left);
        reject(error);
      },
    });
  });
}
