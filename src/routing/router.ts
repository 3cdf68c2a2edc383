import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model, Route } from '../core/model.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { inOrder } from './candidates.ts';
import type { Visitor } from './fair-queue/visitor.ts';
import { awaitFirstEvent } from './first-event.ts';
import { HeldTurn } from './held-turn.ts';
import type { LaneQueue } from './lane-queue.ts';

/** An upstream with its places. */
export interface Lane {
  readonly upstream: Upstream;
  readonly queue: LaneQueue;
}

/** An answer that has begun, and how it was reached. */
export interface Opened {
  readonly flow: EventFlow;
  readonly route: Route;
}

/** What happened at one upstream on the way to an answer. */
export interface Attempt {
  readonly route: Pick<Route, 'upstream' | 'model'>;
  /** Which of the upstream's credentials was used. */
  readonly credential: number | undefined;
  /** When it was sent and when it was decided, on the clock that measures elapsed time. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** How long it waited for its turn before it was sent. */
  readonly waitMs: number;
  /** How many waited before it when it came. */
  readonly position: number | undefined;
  /** What the provider answered with, if it did. */
  readonly status: number | undefined;
  /** From sending to the first content. */
  readonly firstEventMs: number | undefined;
  readonly error: unknown;
}

export interface RouterOptions {
  readonly clock: Clock;
  readonly waitMaxMs: () => number;
  readonly random: () => number;
}

/** One request on its way to an answer. */
export interface Trip {
  readonly visitor: Visitor;
  /** Told when the request begins to wait for a turn, and when that is over. May abort the signal. */
  waits(isWaiting: boolean): void;
  readonly signal: AbortSignal;
  /** When waiting has to end, on the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  attempted(attempt: Attempt): void;
}

/**
 * Tries a model's routes until one has produced its first event; from then on the answer has begun and nothing is
 * retried. A refusal of the request itself is final, since every upstream would say the same.
 */
export async function openFirst(
  options: RouterOptions & { readonly lane: (name: string) => Lane | undefined },
  model: Model,
  request: ChatRequest,
  trip: Trip,
): Promise<Opened> {
  let failure: unknown;
  for (const route of inOrder(model.routes, options.random)) {
    const lane = options.lane(route.upstream);
    if (!lane) continue;
    const turn = lane.queue.tryEnter(trip.visitor) ?? (await turnAt(lane, trip));
    const { waitMs, position } = turn;
    const beganMs = options.clock.elapsed();
    const sofar = { route, credential: undefined, position, waitMs, beganMs };
    try {
      const flow = await open(lane, route, model, request, trip.signal);
      const endedMs = options.clock.elapsed();
      trip.attempted({ ...sofar, endedMs, firstEventMs: endedMs - beganMs, status: 200, error: undefined });
      return { flow: new HeldTurn(flow, turn, trip.visitor), route };
    } catch (error) {
      turn.leave();
      const endedMs = options.clock.elapsed();
      trip.attempted({ ...sofar, endedMs, firstEventMs: undefined, status: undefined, error });
      if (trip.signal.aborted || !maySucceedElsewhere(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new GatewayError('upstream-failed', { cause: new Error(`${model.id} has no usable route`) });
}

async function turnAt(lane: Lane, trip: Trip): Promise<Awaited<ReturnType<Lane['queue']['enter']>>> {
  trip.waits(true);
  try {
    trip.signal.throwIfAborted();
    return await lane.queue.enter(trip.visitor, trip);
  } finally {
    trip.waits(false);
  }
}

async function open(lane: Lane, route: Route, model: Model, request: ChatRequest, signal: AbortSignal) {
  const { thinking, maxOutputTokens } = model;
  const call = { model: route.model, thinking, maxOutputTokens, request };
  const accepted = await lane.upstream.open(call, signal);
  return awaitFirstEvent(accepted);
}

function maySucceedElsewhere(error: unknown): boolean {
  return error instanceof GatewayError && error.case !== 'upstream-rejected';
}
