import type { ChatRequest, NamedModel } from 'chat-formats/chat/chat-request.ts';
import type { FieldPath } from 'chat-formats/invalid-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { PartModel, Usage, UsagePart } from 'chat-formats/chat/usage.ts';
import { drawnTokens } from '../provider-tools.ts';

/** Calls of the requested model. */
const ofRequested: ReadonlySet<string> = new Set(['message', 'compaction']);

/** The fields that name the model of a call. */
const fieldOf: ReadonlyMap<string, (field: FieldPath) => boolean> = new Map([
  ['fallback_message', (field) => field[0] === 'fallbacks'],
  ['advisor_message', (field) => field[0] !== 'fallbacks'],
  ['image_gen', (field) => field.at(-2) !== 'svg'],
  ['svg', (field) => field.at(-2) === 'svg'],
]);

/** Calls of a tool that draws. Without a model that the request names, the tokens have prices like uses of the tool. */
const drawing: ReadonlySet<string> = new Set(['image_gen', 'svg']);

/** Adds to each call of an answer the models that may have made it. An unknown call may be of any model of the request. */
export function withModels(usage: Usage, model: Model, { named = [] }: Pick<ChatRequest, 'named'>): Usage {
  if (!usage.parts) return usage;
  const parts: UsagePart[] = [];
  const tokens = { [drawnTokens.input]: 0, [drawnTokens.output]: 0 };
  for (const part of usage.parts) {
    if (drawing.has(part.kind) && namedFor(part, named).length === 0) {
      tokens[drawnTokens.input] += part.promptTokens;
      tokens[drawnTokens.output] += part.completionTokens;
    } else parts.push({ ...part, of: modelsOf(part, model, named) });
  }
  const isDrawn = parts.length < usage.parts.length;
  return { ...usage, parts, ...(isDrawn && { toolUses: { ...usage.toolUses, ...tokens } }) };
}

function modelsOf(part: UsagePart, model: Model, named: readonly NamedModel[]): readonly PartModel[] | undefined {
  if (ofRequested.has(part.kind)) return undefined;
  const mayBe = namedFor(part, named);
  const exact = mayBe.filter((other) => isCalled(other, part.model));
  const models = [exact, mayBe].find((each) => each.length > 0) ?? [model, ...named.map((other) => other.model)];
  return models.map(({ id, price, routes }) => ({ id, price, cost: routes[0]?.cost }));
}

function namedFor({ kind }: UsagePart, named: readonly NamedModel[]): readonly Model[] {
  const isField = fieldOf.get(kind);
  return isField ? named.filter(({ path }) => isField(path)).map(({ model }) => model) : [];
}

/** Providers report a name with the date of its version, or without it. */
function isCalled({ id, routes }: Model, name: string | undefined): boolean {
  if (name === undefined) return false;
  return [id, ...routes.map((route) => route.model)].some((own) => own.startsWith(name) || name.startsWith(own));
}
