import type { EventFlow } from '../../src/core/event-flow.ts';
import type { StreamEvent } from '../../src/core/stream-event.ts';
import type { AnswerEncoding } from '../../src/dialects/chat-completions/answer-frames.ts';
import { chatStreamEncoder } from '../../src/dialects/chat-completions/encode-stream.ts';
import type { AdoptedAnswer } from '../../src/upstreams/answer.ts';
import { HeldFlow } from '../../src/upstreams/held-flow.ts';
import type { ResponseHandler } from '../../src/upstreams/http1/connection.ts';
import { HttpFault } from '../../src/upstreams/http1/http-fault.ts';
import type { SentRequest } from '../../src/upstreams/http1/pool.ts';
import { ResponseHead } from '../../src/upstreams/http1/response-head.ts';
import type { AnswerSplice, ReadyCall } from '../../src/upstreams/upstream.ts';

type Open = (signal: AbortSignal) => Promise<EventFlow>;

/** A simulated call in the shape of the lane: what the provider says comes as bytes of a response. */
export function readyCall(open: Open): ReadyCall {
  return {
    timeouts: { firstEvent: farAway, idle: farAway, total: farAway },
    send: (handler) => new SentCall(open, handler),
    splice,
    adopt: (sent, { signal }) => (sent as SentCall).adopt(signal),
    attributed: (error) => error,
  };
}

const farAway = 1e9;

class SentCall implements SentRequest {
  readonly #handler: ResponseHandler;
  readonly #abort = new AbortController();
  #flow: EventFlow | undefined;
  #refusal: unknown;

  constructor(open: Open, handler: ResponseHandler) {
    this.#handler = handler;
    handler.sent?.();
    open(this.#abort.signal).then(
      (flow) => this.#accepted(flow),
      (error: unknown) => this.#refused(error),
    );
  }

  pause(): void {
    this.#flow?.pause();
  }

  resume(): void {
    this.#flow?.resume();
  }

  destroy(): void {
    this.#abort.abort();
    this.#flow?.cancel();
  }

  /** What the general way makes of it: it is told the same bytes, and hears of a refusal in its own words. */
  adopt(signal: AbortSignal): AdoptedAnswer {
    const { promise, resolve, reject } = Promise.withResolvers<EventFlow>();
    const held = new HeldFlow({
      pause: () => this.pause(),
      resume: () => this.resume(),
      cancel: () => this.destroy(),
    });
    const left = (): void => {
      this.destroy();
      reject(signal.reason as Error);
      held.fail(signal.reason);
    };
    signal.addEventListener('abort', left);
    if (signal.aborted) left();
    const handler: ResponseHandler = {
      head: ({ status }) => (status === 200 ? resolve(held) : reject(this.#refusal)),
      data: (bytes) => held.deliver(eventsIn(bytes)),
      end: () => held.end(),
      fail: (fault) => held.fail(fault.cause),
    };
    return { handler, flow: promise };
  }

  #accepted(flow: EventFlow): void {
    this.#flow = flow;
    if (this.#abort.signal.aborted) return flow.cancel();
    this.#handler.head(new ResponseHead(200, false, ['content-type', 'text/event-stream']));
    flow.start({
      events: (batch) => this.#handler.data(Buffer.from(JSON.stringify(batch))),
      end: () => this.#handler.end(),
      fail: (cause) => this.#handler.fail(new HttpFault('closed', 'the connection broke', { cause })),
    });
  }

  #refused(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#refusal = error;
    this.#handler.head(new ResponseHead(503, false, []));
  }
}

function eventsIn(bytes: Buffer): readonly StreamEvent[] {
  return JSON.parse(bytes.toString()) as StreamEvent[];
}

function splice(encoding: AnswerEncoding): AnswerSplice {
  const encoder = chatStreamEncoder(encoding);
  return {
    isAlive: true,
    isHolding: false,
    isDone: false,
    isCut: false,
    push(bytes) {
      const heard = eventsIn(bytes);
      return { heard, frames: encoder.encode(heard) };
    },
    end: () => ({ heard: [], frames: '' }),
    done: (usage) => encoder.encode([{ type: 'usage', usage }]) + encoder.done(),
  };
}
