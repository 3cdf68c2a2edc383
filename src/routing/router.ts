import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model, Route } from '../core/model.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { inOrder } from './candidates.ts';
import { awaitFirstEvent } from './first-event.ts';
import type { Release, Slots } from './slots.ts';

/** An upstream with its places. */
export interface Lane {
  readonly upstream: Upstream;
  readonly slots: Slots;
}

/** An answer that has begun, and how it was reached. */
export interface Opened {
  readonly flow: EventFlow;
  readonly route: Route;
}

/** What happened at one upstream on the way to an answer. */
export interface Attempt {
  readonly route: Route;
  readonly waitMs: number;
  readonly error: unknown;
}

export interface RouterOptions {
  readonly clock: Clock;
  readonly waitMaxMs: () => number;
  readonly random: () => number;
}

/**
 * Tries a model's routes until one has produced its first event; from then on the answer has begun and nothing is
 * retried. A refusal of the request itself is final, since every upstream would say the same.
 */
export async function openFirst(
  options: RouterOptions & { readonly lane: (name: string) => Lane | undefined },
  model: Model,
  request: ChatRequest,
  trip: { readonly signal: AbortSignal; attempted(attempt: Attempt): void },
): Promise<Opened> {
  let failure: unknown;
  for (const route of inOrder(model.routes, options.random)) {
    const lane = options.lane(route.upstream);
    if (!lane) continue;
    const began = options.clock.elapsed();
    const release = lane.slots.tryAcquire() ?? (await lane.slots.acquire(trip.signal, options.waitMaxMs()));
    const waitMs = options.clock.elapsed() - began;
    try {
      const flow = await open(lane, route, model, request, trip.signal);
      trip.attempted({ route, waitMs, error: undefined });
      return { flow: new HeldSlot(flow, release), route };
    } catch (error) {
      release();
      trip.attempted({ route, waitMs, error });
      if (trip.signal.aborted || !maySucceedElsewhere(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new GatewayError('upstream-failed', { cause: new Error(`${model.id} has no usable route`) });
}

async function open(lane: Lane, route: Route, model: Model, request: ChatRequest, signal: AbortSignal) {
  const { thinking, toolFormat, thinksFirst, repairArguments } = model;
  const call = { model: route.model, thinking, toolFormat, thinksFirst, repairArguments, request };
  const accepted = await lane.upstream.open(call, signal);
  return awaitFirstEvent(accepted);
}

function maySucceedElsewhere(error: unknown): boolean {
  return error instanceof GatewayError && error.case !== 'upstream-rejected';
}

/** Gives the place back when the answer is over. */
class HeldSlot extends EventRelay {
  readonly #release: Release;

  constructor(source: EventFlow, release: Release) {
    super(source);
    this.#release = release;
  }

  protected override closed(): void {
    this.#release();
  }
}
