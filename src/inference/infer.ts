import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { SurfaceTag } from '../core/model.ts';
import { type Lane, openFirst, type RouterOptions } from '../routing/router.ts';
import { fitted } from './fit.ts';
import { Meter } from './meter.ts';
import type { RequestDraft } from './request-draft.ts';
import { Tally } from './tally.ts';
import type { TokenCounter } from './token-counter.ts';

/** An answer that has begun. */
export interface Answer {
  /** The catalog id, whatever alias was asked for. */
  readonly model: string;
  readonly upstream: string;
  readonly flow: EventFlow;
}

export interface InferenceParts {
  /** The catalog and the upstreams as they are now; a request keeps what it began with. */
  current(): { readonly catalog: Catalog; readonly lane: (name: string) => Lane | undefined };
  readonly router: RouterOptions;
  readonly counter: TokenCounter;
}

export interface Inquiry {
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** Filled in on the way, whether the request succeeds or not. */
  readonly draft: RequestDraft;
}

/** The whole gateway on one screen: may this caller use this model, does the request fit, who answers, what did it use. */
export async function infer(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
  const { caller, draft, signal } = inquiry;
  const { catalog, lane } = parts.current();
  const model = catalog.require(caller, inquiry.request.model, inquiry.surface);
  draft.model = model.id;
  const request = fitted(model, inquiry.request);
  const attempted = draft.attempted.bind(draft);
  const opened = await openFirst({ ...parts.router, lane }, model, request, { signal, attempted });
  draft.tally = new Tally(request, parts.counter);
  return { model: model.id, upstream: opened.route.upstream, flow: new Meter(opened.flow, draft.tally) };
}
