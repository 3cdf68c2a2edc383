import type { ChatRequest, NamedModel } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { type FieldPath, fieldName } from 'chat-formats/invalid-request.ts';
import type { Model, ModelRoute } from 'chat-formats/chat/model.ts';
import { nameAt } from 'chat-formats/named-models.ts';
import { type NamingField, type Spending, withFields } from 'chat-formats/spending.ts';
import { threadUnsupported } from 'chat-formats/translate.ts';
import { integerFrom, objectOf, type WireObject } from 'chat-formats/wire-value.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import type { Caller } from '../../core/caller.ts';
import type { PlacedThings, ThingPlace } from '../../core/thing-place.ts';

/** The caller, and what it may name. */
export interface SpendingAccess {
  readonly catalog: Catalog;
  readonly caller: Caller;
  /** Where the things are stored that the account has received. */
  readonly places: ReadonlyMap<string, ThingPlace>;
}

/** The places of the things that a request names; `undefined` if it names none. */
export function placesOf(
  things: PlacedThings,
  { spending }: ChatRequest,
  { key }: Caller,
): Promise<SpendingAccess['places']> | undefined {
  if (!spending || spending.stored.length === 0) return undefined;
  return things.find(
    key.accountId,
    spending.stored.map(({ name }) => name),
  );
}

export const noPlaces: SpendingAccess['places'] = new Map();

/** A request that names only what its caller may use, at the routes that have all of it. */
interface FittedSpending {
  readonly model: Model;
  readonly request: ChatRequest;
  /** The fields that are left out. */
  readonly notes: readonly string[];
}

/** How often a provider asks an adviser for one answer if the request sets no limit. */
const usesUnlessSaid = 20;

/** A client lets the provider choose the model. */
const providersChoice = 'default';

/**
 * Checks every field that names a model or a stored thing, and leaves out those that use rights of the operator. Throws
 * if the caller may not use what a field names. The request is then no longer sent as it came.
 */
export function fitSpending(model: Model, request: ChatRequest, access: SpendingAccess): FittedSpending {
  const { spending, wire } = request;
  if (!spending) return { model, request, notes: [] };
  const foreign = spending.stored.find(({ name }) => !access.places.has(name));
  if (foreign) throw notYours(foreign);
  const named = spending.models
    .filter(({ path, name }) => !isProvidersChoice(path, name))
    .map((field) => ({ ...namedModel(field, wire.body, access), draws: wire.format === 'responses' }));
  const together = model.routes.filter((route) => named.every((other) => nameAt(other, route.upstream) !== undefined));
  const [other] = named;
  if (together.length === 0 && other) throw notForYou(other.path, access);
  const places = spending.stored.flatMap(({ name }) => access.places.get(name) ?? []);
  const routes = places.length === 0 ? together : routesTo(places, together);
  const [stored] = spending.stored;
  if (routes.length === 0 && stored) throw notTogether(stored);
  const removed = removedFields(model, spending, wire.body);
  const { text: _, ...kept } = wire;
  const body = withFields(
    wire.body,
    removed.map((path) => [path, undefined]),
  );
  const notes = removed.length === 0 ? [] : [`left out, because only the operator may use it: ${namesOf(removed)}`];
  const fitted = routes === together && routes.length === model.routes.length ? model : { ...model, routes };
  return { model: fitted, request: { ...request, named, wire: { ...kept, body } }, notes };
}

function namedModel({ path, name }: NamingField, body: WireObject, access: SpendingAccess): Omit<NamedModel, 'draws'> {
  const model = access.catalog.find(access.caller, name);
  if (!model) throw notForYou(path, access);
  const place = objectOf(path.slice(0, -1).reduce<unknown>((value, step) => Object(value)[step], body)) ?? {};
  const isTool = path.at(-1) === 'model' && path[0] !== 'fallbacks';
  const uses = isTool ? (integerFrom(0, place['max_uses']) ?? usesUnlessSaid) : 1;
  return { path, model, uses, maxTokens: integerFrom(1, place['max_tokens']) };
}

/** Fields that are not forwarded: rights that the model's entry does not allow, and prices beside the model's own. */
function removedFields(model: Model, { models, rights }: Spending, body: WireObject): readonly FieldPath[] {
  const allowed = new Set(model.allowedFields);
  const places = models
    .filter(({ path }) => path[0] === 'fallbacks' && path.length > 2)
    .map(({ path }) => path.slice(0, -1));
  return [
    ...rights.filter(([name]) => !allowed.has(String(name))),
    ...models.filter(({ path, name }) => isProvidersChoice(path, name)).map(({ path }) => path),
    ...places.flatMap((place) => {
      const fallback = objectOf(place.reduce<unknown>((value, step) => Object(value)[step], body)) ?? {};
      return levels.filter((level) => Object.hasOwn(fallback, level)).map((level) => [...place, level]);
    }),
  ];
}

const levels = ['speed', 'service_tier', 'inference_geo'];

function isProvidersChoice(path: FieldPath, name: string): boolean {
  return path.length === 1 && path[0] === 'fallbacks' && name === providersChoice;
}

/** The routes to the one credential that has everything. */
function routesTo(places: readonly ThingPlace[], routes: readonly ModelRoute[]): readonly ModelRoute[] {
  const [first] = places;
  const isOnePlace = places.every((each) => each.upstream === first?.upstream && each.credential === first.credential);
  if (!first || !isOnePlace) return [];
  const here = routes.filter((route) => route.upstream === first.upstream);
  return here.map((route) => ({ ...route, credential: first.credential }));
}

function notTogether({ path }: NamingField): GatewayError {
  const field = fieldName(path);
  return new GatewayError('invalid-request', {
    detail: `${field} names something that is stored at another provider than this model, or than another field names: leave ${field} out, and send its content instead`,
  });
}

/** The same error as for `model`, so that it reveals nothing; the field is the client's own. */
function notForYou(path: FieldPath, { catalog, caller }: SpendingAccess): GatewayError {
  return new GatewayError(catalog.rulesOf(caller.site).unknownModel, {
    detail: `${fieldName(path)} names a model that does not exist, that this key may not use, or that is not available together with the requested one. GET /v1/models lists the models it can use.`,
  });
}

/** Agents search the text and the details for the name of the field, and go on without it. */
function notYours({ path }: NamingField): GatewayError {
  const field = fieldName(path);
  return new GatewayError('invalid-request', {
    details: path[0] === 'thread' ? threadUnsupported : undefined,
    detail: `${field} names something that is stored at a provider, and it was not created by this account: leave ${field} out, and send its content instead`,
  });
}

/** More names do not help to understand a record. */
const shownMax = 8;

function namesOf(paths: readonly FieldPath[]): string {
  return paths.slice(0, shownMax).map(fieldName).join(', ');
}
