import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { TellPromise } from '../core/guarantee.ts';
import type { Model } from '../core/model.ts';
import { keepsStops } from '../guarantees/keeps-stops.ts';
import { StopGate } from '../guarantees/stop-gate.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import type { Reached } from '../routing/reached.ts';

interface Promised {
  readonly model: Model;
  readonly request: ChatRequest;
  readonly upstream: (name: string) => LiveUpstream | undefined;
  readonly told: TellPromise;
}

/** An answer that keeps what the contract promises of it, by a stage of its own for each promise that its provider may break. */
export function guaranteed({ flow, candidate }: Reached, { model, request, upstream, told }: Promised): EventFlow {
  if (request.stop.length === 0) return flow;
  // Where others may go on with the answer it is as trustworthy as the least of them.
  const others = model.continue === 'never' ? [] : model.routes.map((route) => upstream(route.upstream));
  const isKeptHere = [candidate.upstream, ...others].some(
    (each) => each && keepsStops(request, model.guarantees, each.adapter.stopMax),
  );
  return isKeptHere ? new StopGate(flow, { stop: request.stop, choices: request.choices, told }) : flow;
}
