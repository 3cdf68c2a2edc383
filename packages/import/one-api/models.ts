import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { FindingList } from '../findings.ts';
import { modelIdForm } from '../item-name.ts';
import type { PlannedModel, PlannedRoute } from '../plan.ts';
import type { PlannedPrice } from '../target.ts';
import type { PlannedChannel } from './channels.ts';
import { type FoundPrice, type PriceFinder, priceFinder, pricesDiffer } from './prices.ts';
import type { OneApiSource } from './source.ts';

const routesMax = 64;
const weightMax = 1000n;

/** A model of the source, with the channels that serve it. */
export function planModels(
  source: OneApiSource,
  channels: readonly PlannedChannel[],
  findings: FindingList,
): readonly PlannedModel[] {
  const byModel = new Map<string, PlannedChannel[]>();
  for (const channel of channels) {
    for (const model of channel.models) byModel.set(model, [...(byModel.get(model) ?? []), channel]);
  }
  const find = priceFinder(source);
  const planned: PlannedModel[] = [];
  let unpriced = 0;
  for (const [id, serving] of byModel) {
    const found = find(id, [...new Set(serving.map(({ type }) => type))]);
    if (found === 'missing') unpriced += 1;
    const model = plannedModel({ source, id, serving, find, found, findings });
    if (model) planned.push(model);
  }
  if (unpriced > 0) reportUnpriced(source, unpriced, findings);
  reportGroups(byModel, findings);
  return planned;
}

interface ModelParts {
  readonly source: OneApiSource;
  readonly id: string;
  readonly serving: readonly PlannedChannel[];
  readonly find: PriceFinder;
  readonly found: FoundPrice;
  readonly findings: FindingList;
}

function plannedModel({ source, id, serving, find, found, findings }: ModelParts): PlannedModel | undefined {
  const subject = { kind: 'model', sourceId: id } as const;
  if (!modelIdForm.test(id)) {
    findings.add('model_name_invalid', subject, { name: id });
    return undefined;
  }
  if (found === 'expression') findings.add('price_expression', subject);
  if (found === 'missing') findings.add('price_missing', subject);
  if (typeof found === 'string') return undefined;
  for (const field of found.rounded) findings.add('price_rounded', subject, { field });
  if (found.expression !== undefined) findings.add('price_expression_read', subject, { expression: found.expression });
  if (found.isCompletionAssumed) findings.add('completion_price_assumed', subject, { output: found.price.output });
  if (pricesDiffer(find, id, [...new Set(serving.map(({ type }) => type))])) findings.add('prices_differ', subject);
  const endpoint = endpointOf(id, found.endpointTypes);
  if (endpoint && found.endpointTypes.length === 0) findings.add('model_endpoint_guessed', subject, { endpoint });
  const usable = serving.filter(({ kind }) => endpoint === undefined || source.target.passThroughKinds.has(kind));
  const routes = routesOf(id, usable, source, findings);
  if (routes.length < serving.length) {
    findings.add('model_routes_lost', subject, { count: serving.length - routes.length });
  }
  if (routes.length === 0) return undefined;
  const price = endpoint === 'images' ? imagePrice(found.price) : found.price;
  return { sourceId: id, spec: { id, ...(endpoint && { endpoints: [endpoint] }), routes: [...routes], price } };
}

/** The highest priority of the source becomes 0. */
function routesOf(
  id: string,
  serving: readonly PlannedChannel[],
  source: OneApiSource,
  findings: FindingList,
): readonly PlannedRoute[] {
  const ordered = serving.toSorted((one, other) => Number(other.priority - one.priority)).slice(0, routesMax);
  const ranks = [...new Set(ordered.map(({ priority }) => priority))];
  const largest = ordered.reduce((most, { weight }) => (weight > most ? weight : most), 1n);
  return ordered.map((channel) => {
    const mapped = channel.modelAt(id);
    const model = source.product === 'new-api' && mapped === id ? withoutSuffix(channel, id) : mapped;
    if (model !== mapped) findings.add('model_suffix', { kind: 'model', sourceId: id }, { model });
    const weight = largest > weightMax ? (channel.weight * weightMax) / largest : channel.weight;
    return {
      upstream: channel.upstreamFor(mapped),
      ...(model !== id && { model }),
      priority: ranks.indexOf(channel.priority),
      weight: Number(weight < 1n ? 1n : weight),
    };
  });
}

/** Names of models that new-api makes itself, by appending a setting to the name of a model of the provider. */
function withoutSuffix({ kind }: PlannedChannel, id: string): string {
  if (!['openai', 'azure', 'anthropic', 'bedrock', 'google', 'vertex'].includes(kind)) return id;
  const [, base] = suffixed.exec(id) ?? [];
  return base ?? id;
}

const suffixed =
  /^((?:claude-|gemini-|gpt-5|o[134](?:-|$)).*?)-(?:thinking(?:-\d+)?|nothinking|none|minimal|low|medium|high|xhigh|max)$/;

/** The endpoint of a model that is none for conversations. */
function endpointOf(id: string, types: readonly string[]): PassThroughEndpoint | undefined {
  if (types.length === 0) return namedEndpoints.find(([form]) => form.test(id))?.[1];
  if (types.some((type) => ['openai', 'anthropic', 'gemini', 'openai-response'].includes(type))) {
    return types.includes('embeddings') ? 'embeddings' : undefined;
  }
  return types.map((type) => knownTypes[type]).find((endpoint) => endpoint !== undefined);
}

const knownTypes: Readonly<Record<string, PassThroughEndpoint>> = {
  embeddings: 'embeddings',
  'image-generation': 'images',
  'jina-rerank': 'rerank',
};

const namedEndpoints: readonly (readonly [RegExp, PassThroughEndpoint])[] = [
  [/embed|^bge-(?!reranker)|^m3e/i, 'embeddings'],
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderations'],
  [/^(?:dall-e|gpt-image|cogview|flux|stable-diffusion)/i, 'images'],
  [/whisper|transcribe/i, 'transcriptions'],
  [/^tts-|-tts\b/i, 'speech'],
];

/** The price of a call is that of an image. */
function imagePrice({ units, ...price }: PlannedPrice): PlannedPrice {
  return units?.request === undefined ? price : { ...price, units: { image: units.request } };
}

function reportUnpriced({ product, pricing, options }: OneApiSource, count: number, findings: FindingList): void {
  const isGiven = product === 'new-api' ? pricing !== undefined : options.has('ModelRatio');
  if (isGiven) return;
  const reply = product === 'new-api' ? 'the reply of GET /api/pricing' : 'the reply of GET /api/option/';
  findings.add('prices_not_given', { kind: 'setting', sourceId: 'ModelRatio' }, { count, reply });
}

/** Routes belong to the model: a channel of one group only serves every account that may use the model. */
function reportGroups(byModel: ReadonlyMap<string, readonly PlannedChannel[]>, findings: FindingList): void {
  const models = [...byModel].filter(
    ([, serving]) => new Set(serving.map(({ groups }) => groups.toSorted().join())).size > 1,
  );
  const [first] = models;
  if (!first) return;
  findings.add('routes_of_groups', { kind: 'setting', sourceId: 'groups' }, { count: models.length, model: first[0] });
}
