import type { ChatRequest, NamedModel } from './chat/chat-request.ts';
import { withFields } from './spending.ts';

/** The request as an upstream gets it: with its own names of the models. */
export function namedAt(request: ChatRequest, upstream: string): ChatRequest {
  const { named = [], wire } = request;
  if (named.length === 0) return request;
  const body = withFields(
    wire.body,
    named.map((other) => [other.path, nameAt(other, upstream)]),
  );
  return { ...request, wire: { ...wire, body } };
}

/** The name of the model at an upstream; `undefined` if that does not have it. */
export function nameAt({ model }: NamedModel, upstream: string): string | undefined {
  return model.routes.find((route) => route.upstream === upstream)?.model;
}
