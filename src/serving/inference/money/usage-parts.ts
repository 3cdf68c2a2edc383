import type { ChatRequest, NamedModel } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { PartModel, Usage, UsagePart } from 'chat-formats/chat/usage.ts';

/** Calls of the requested model. */
const ofRequested: ReadonlySet<string> = new Set(['message', 'compaction']);

/** The fields that name the model of a call. */
const fieldOf: ReadonlyMap<string, (name: NamedModel) => boolean> = new Map([
  ['fallback_message', ({ path }) => path[0] === 'fallbacks'],
  ['advisor_message', ({ path }) => path[0] !== 'fallbacks'],
]);

/** Adds to each call of an answer the models that may have made it. An unknown call may be of any model of the request. */
export function withModels(usage: Usage, model: Model, { named = [] }: Pick<ChatRequest, 'named'>): Usage {
  return usage.parts
    ? { ...usage, parts: usage.parts.map((part) => ({ ...part, of: modelsOf(part, model, named) })) }
    : usage;
}

function modelsOf(part: UsagePart, model: Model, named: readonly NamedModel[]): readonly PartModel[] | undefined {
  if (ofRequested.has(part.kind)) return undefined;
  const mayBe = named.filter(fieldOf.get(part.kind) ?? (() => false)).map((other) => other.model);
  const exact = mayBe.filter((other) => isCalled(other, part.model));
  const models = [exact, mayBe].find((each) => each.length > 0) ?? [model, ...named.map((other) => other.model)];
  return models.map(({ id, price, routes }) => ({ id, price, cost: routes[0]?.cost }));
}

/** Providers report a name with the date of its version, or without it. */
function isCalled({ id, routes }: Model, name: string | undefined): boolean {
  if (name === undefined) return false;
  return [id, ...routes.map((route) => route.model)].some((own) => own.startsWith(name) || name.startsWith(own));
}
