import {
  type BackgroundRequest,
  type BackgroundRequests,
  statusOf,
} from '../../../../work/batches/background-requests.ts';
import type { Clock } from '../../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { backgroundOpening, comment } from 'chat-formats/responses/answer/event-log.ts';
import { framesSoFar, replayedEvents } from 'chat-formats/responses/answer/replay.ts';
import type { EventStreamWriter } from '../../../http/exchange.ts';
import type { RunningRequest } from '../../../inference/running-requests.ts';
import { BoundedWriter, eventsIn, type InFlightResponses } from '../in-flight-responses.ts';
import type { ResponseStorage } from '../sealed-responses.ts';
import { logAfter, shownResponse } from '../stored-content.ts';
import { openingIn } from './background-conversation.ts';
import type { BackgroundWatches } from './background-watch.ts';
import type { EventRelay } from './event-relay.ts';

export interface StreamParts {
  readonly clock: Clock;
  readonly requests: BackgroundRequests;
  readonly storage: Pick<ResponseStorage, 'find'>;
  readonly inFlight: InFlightResponses;
  readonly watches: BackgroundWatches;
  /** Undefined for a process that is alone with its store. */
  readonly relay: EventRelay | undefined;
  readonly keepAliveEveryMs: () => number;
}

/** One client that reads the events. */
export interface EventReader {
  readonly writer: Pick<EventStreamWriter, 'write' | 'onDrain'> & { end(lastFrames: string): void | Promise<void> };
  readonly running: Pick<RunningRequest, 'signal' | 'waits'>;
  /** Events up to this number are left out. -1: none. */
  readonly startingAfter: number;
  /** Whether it gets encrypted reasoning. */
  readonly showsSealed: boolean;
}

/**
 * The events of one response in the background for one reader. While this process generates it, they come live. While
 * another one does, they come through the store. The last events always come from the stored response.
 */
export class BackgroundStream {
  readonly #parts: StreamParts;
  readonly #name: { readonly accountId: string; readonly id: string };
  readonly #reader: EventReader;
  /** The number of the next event. */
  #next: number;
  #writtenMs: number;
  readonly #writer: BoundedWriter;
  /** Aborts when the reader leaves or is too slow, or the gateway stops. */
  readonly #leaving: AbortSignal;
  readonly #cut = new AbortController();

  constructor(parts: StreamParts, name: { readonly accountId: string; readonly id: string }, reader: EventReader) {
    this.#parts = parts;
    this.#name = name;
    this.#reader = reader;
    this.#next = reader.startingAfter + 1;
    this.#writtenMs = parts.clock.elapsed();
    this.#leaving = AbortSignal.any([reader.running.signal, this.#cut.signal]);
    this.#writer = new BoundedWriter(reader.writer, () => this.#cut.abort(tooSlow()));
  }

  /** Resolves when the last event is sent. Rejects if the reader leaves, is too slow, or the gateway stops. */
  async send(): Promise<void> {
    const watch = this.#parts.watches.enter(this.#name.accountId, this.#name.id);
    const onAbort = (): void => watch.wake();
    this.#leaving.addEventListener('abort', onAbort);
    try {
      await this.#sendAll(watch);
    } finally {
      this.#leaving.removeEventListener('abort', onAbort);
      watch.leave();
    }
  }

  async #sendAll(watch: Pick<ReturnType<BackgroundWatches['enter']>, 'next'>): Promise<void> {
    const { waits } = this.#reader.running;
    const signal = this.#leaving;
    for (let wasOwn = false; ; ) {
      signal.throwIfAborted();
      const found = await watch.next();
      signal.throwIfAborted();
      if (!found || found.batch.ended_at !== null) return this.#end();
      this.#sendOpening(found);
      const isOwn = this.#ownAttempt(found) !== undefined;
      wasOwn = isOwn || (wasOwn && found.line?.state !== 'queued');
      // A process that stops ends readers first whose response it does not generate: they can read elsewhere.
      waits(!wasOwn);
      if (isOwn) await this.#followOwn(found);
      else await this.#readElsewhere(found);
      signal.throwIfAborted();
      this.#keepAlive();
    }
  }

  #ownAttempt({ batch, line }: BackgroundRequest): string | undefined {
    const { inFlight } = this.#parts;
    const requestId = inFlight.find(batch.account_id, `resp_${batch.id}`)?.requestId;
    return line?.state === 'running' && line.request_id === requestId ? requestId : undefined;
  }

  #sendOpening(found: BackgroundRequest): void {
    const events = statusOf(found) === 'in_progress' ? backgroundOpening : backgroundOpening.slice(0, 2);
    if (this.#next >= events.length) return;
    const opening = openingIn(this.#parts.requests.openingOf(found.batch));
    this.#write(framesSoFar(opening, events, this.#next - 1));
  }

  async #followOwn(found: BackgroundRequest): Promise<void> {
    const { inFlight } = this.#parts;
    if (!(await this.#mayShow(found))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const writer: EventStreamWriter = {
      write: (frames) => this.#write(frames),
      onDrain: () => {},
      end: (frames = '') => {
        this.#write(frames);
        resolve();
      },
      breakOff: () => resolve(),
      destroy: () => this.#cut.abort(tooSlow()),
    };
    const target = { gone: this.#leaving, openEventStream: () => writer };
    await Promise.race([promise, inFlight.follow(`resp_${found.batch.id}`, target, this.#next - 1)]);
  }

  async #readElsewhere(found: BackgroundRequest): Promise<void> {
    const { relay } = this.#parts;
    const { line } = found;
    if (!relay || line?.state !== 'running' || line.request_id === null) return;
    const frames = await relay.read(line.request_id, Math.max(this.#next, backgroundOpening.length));
    if (frames === '' || !(await this.#mayShow(found))) return;
    this.#sendOpening({ ...found, line: { ...line, started_at: line.started_at ?? 1 } });
    this.#write(frames);
  }

  /** Once a reader has a part of an attempt, the response does not run again. */
  async #mayShow({ line }: BackgroundRequest): Promise<boolean> {
    if (!line || line.request_id === null) return false;
    return line.streamed_at !== null || this.#parts.requests.markStreamed(line.request_id);
  }

  async #end(): Promise<void> {
    const { accountId, id } = this.#name;
    const content = await this.#parts.storage.find(accountId, `resp_${id}`);
    if (!content) throw deleted();
    const startingAfter = this.#next - 1;
    const shown = shownResponse(content, this.#reader.showsSealed);
    const log = logAfter(content, startingAfter);
    await this.#reader.writer.end(replayedEvents(shown, log, startingAfter, content.opening));
  }

  #write(frames: string): boolean {
    if (frames !== '') {
      this.#writtenMs = this.#parts.clock.elapsed();
      this.#next += eventsIn(frames);
      this.#writer.write(frames);
    }
    return true;
  }

  #keepAlive(): void {
    const { clock, keepAliveEveryMs } = this.#parts;
    if (clock.elapsed() - this.#writtenMs >= keepAliveEveryMs()) this.#write(comment);
  }
}

export function deleted(): GatewayError {
  return new GatewayError('not-found', { detail: 'The response was deleted.' });
}

function tooSlow(): GatewayError {
  return new GatewayError('invalid-request', { detail: 'The client reads the events too slowly.' });
}
