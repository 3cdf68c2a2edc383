import type { Caller } from '../../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { namedAt } from 'chat-formats/named-models.ts';
import type { Model, SurfaceTag } from 'chat-formats/chat/model.ts';
import type { LiveUpstream } from '../../routing/candidates/candidates.ts';
import type { InferenceParts } from '../inference-input.ts';
import { fitSpending, noPlaces, placesOf } from '../spending.ts';
import { promptText } from './prompt-text.ts';

export interface CountInput {
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
}

/** Prompt tokens of a request: the provider's count if it offers one, otherwise the gateway's. Free of charge. */
export async function countPrompt(
  parts: Pick<InferenceParts, 'current' | 'counter' | 'things'>,
  { caller, surface, request, signal }: CountInput,
): Promise<number> {
  const { catalog, upstream } = parts.current();
  const wanted = catalog.require(caller, request.model, surface);
  const { model, request: fitted } = fitSpending(wanted, request, {
    catalog,
    caller,
    places: (await placesOf(parts.things, request, caller)) ?? noPlaces,
  });
  const reported = await countByProvider(model, fitted, { upstream, signal });
  if (reported !== undefined) return reported;
  const { tokens } = await parts.counter.count([promptText(request)], caller.key.accountId);
  return tokens[0] ?? 0;
}

/** Uses the first route, because the request itself would go there. */
async function countByProvider(
  model: Model,
  request: ChatRequest,
  { upstream, signal }: { upstream: (name: string) => LiveUpstream | undefined; signal: AbortSignal },
): Promise<number | undefined> {
  const [route] = [...model.routes].sort((left, right) => left.priority - right.priority);
  const adapter = route && upstream(route.upstream)?.adapter;
  if (!route || !adapter?.countTokens) return undefined;
  return adapter.countTokens(
    {
      model: route.model,
      credential: route.credential ?? 0,
      thinking: model.thinking,
      request: namedAt(request, route.upstream),
    },
    signal,
  );
}
