import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { TellPromise } from '../core/guarantee.ts';
import type { Model } from '../core/model.ts';
import { keptHere } from '../guarantees/kept-here.ts';
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
  const others = model.continue === 'never' ? [] : model.routes.map((route) => upstream(route.upstream));
  const providers = [candidate.upstream, ...others].map((each) => each?.adapter.keeps ?? {});
  const here = keptHere(request, model.guarantees, providers);
  return here?.stop ? new StopGate(flow, { stop: request.stop, choices: request.choices, told }) : flow;
}
