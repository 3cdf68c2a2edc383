import type { NewModel } from '../../api/wire.ts';
import type { FixedTextKey } from '../../text/text.tsx';
import {
  constraintSpec,
  constraintValues,
  type ConstraintValues,
  fallbackSpec,
  fallbackValues,
  type FallbackValues,
} from './constraint-values.ts';
import { changedPrice, priceValues, type PriceValues } from './price-values.ts';
import { type RouteRow, routesOf, rowsOf } from './route-order.ts';

/** The form values of a model. */
export interface ModelValues {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly ownedBy: string;
  readonly surfaces: readonly ModelSurface[];
  /** Pass-through endpoints. A model that has some may have no surface. */
  readonly endpoints: readonly ModelEndpoint[];
  readonly contextWindow: number | string;
  readonly maxOutputTokens: number | string;
  readonly thinking: boolean;
  readonly thinksFirst: 'family' | 'yes' | 'no';
  readonly toolFormat: string;
  readonly repairArguments: boolean;
  readonly untranslatable: 'hints' | 'refuse' | 'drop';
  readonly continues: boolean;
  readonly fallbacks: FallbackValues;
  readonly constraints: ConstraintValues;
  readonly isFree: boolean;
  readonly price: PriceValues;
  /** The treatment of fields that select a price without a tier. */
  readonly pricedFields: 'strip' | 'refuse';
  readonly routes: readonly RouteRow[];
}

export type ModelSurface = NonNullable<NewModel['surfaces']>[number];
export type ModelEndpoint = NonNullable<NewModel['endpoints']>[number];

export const defaultSurfaces: readonly ModelSurface[] = ['anthropic', 'openai-response', 'openai'];

export function modelValues(spec: NewModel): ModelValues {
  return {
    id: spec.id,
    aliases: spec.aliases ?? [],
    description: spec.description ?? '',
    ownedBy: spec.owned_by ?? '',
    surfaces: spec.surfaces ?? (spec.endpoints?.length ? [] : defaultSurfaces),
    endpoints: spec.endpoints ?? [],
    contextWindow: spec.context_window ?? '',
    maxOutputTokens: spec.max_output_tokens ?? '',
    thinking: spec.thinking ?? false,
    thinksFirst: spec.thinks_first === undefined ? 'family' : spec.thinks_first ? 'yes' : 'no',
    toolFormat: spec.tool_format ?? '',
    repairArguments: spec.repair_arguments ?? false,
    untranslatable: spec.untranslatable ?? 'hints',
    continues: spec.continue === 'prefill',
    fallbacks: fallbackValues(spec.fallbacks),
    constraints: constraintValues(spec),
    isFree: spec.price === 'free',
    price: priceValues(spec.price === 'free' ? {} : spec.price),
    pricedFields: spec.priced_fields ?? 'strip',
    routes: rowsOf(spec.routes),
  };
}

/** The spec to send. Fields that the form does not have keep their values. */
export function modelSpec(values: ModelValues, before?: NewModel): NewModel {
  if (!before) return specOf(values);
  const otherFields = without(before, new Set(Object.keys(specOf(modelValues(before)))));
  return { ...otherFields, ...specOf(values, before.price) };
}

/** Fields that are always visible in the form. */
const basicFields: ReadonlySet<string> = new Set(['id', 'routes', 'price', 'priced_fields']);

/** The number of settings under "Advanced" that differ from their defaults. */
export function advancedCount(values: ModelValues): number {
  return Object.keys(specOf(values)).filter((field) => !basicFields.has(field)).length;
}

/** Leaves out default values. */
function specOf(values: ModelValues, before?: NewModel['price']): NewModel {
  const fallbacks = fallbackSpec(values.fallbacks);
  const { aliases, ownedBy, surfaces, endpoints, contextWindow, maxOutputTokens, thinksFirst, toolFormat } = values;
  return {
    id: values.id.trim(),
    ...(aliases.length > 0 && { aliases }),
    ...(values.description.trim() !== '' && { description: values.description.trim() }),
    ...(ownedBy.trim() !== '' && { owned_by: ownedBy.trim() }),
    ...(!isDefault(surfaces, endpoints) && { surfaces }),
    ...(endpoints.length > 0 && { endpoints }),
    ...(contextWindow !== '' && { context_window: Number(contextWindow) }),
    ...(maxOutputTokens !== '' && { max_output_tokens: Number(maxOutputTokens) }),
    ...(values.thinking && { thinking: true }),
    ...(thinksFirst !== 'family' && { thinks_first: thinksFirst === 'yes' }),
    // Free text: the gateway validates it.
    ...(toolFormat.trim() !== '' && { tool_format: toolFormat.trim() as NewModel['tool_format'] }),
    ...(values.repairArguments && { repair_arguments: true }),
    ...(values.untranslatable !== 'hints' && { untranslatable: values.untranslatable }),
    ...(values.continues && { continue: 'prefill' as const }),
    ...(fallbacks.length > 0 && { fallbacks }),
    ...constraintSpec(values.constraints),
    ...(values.pricedFields !== 'strip' && { priced_fields: values.pricedFields }),
    routes: routesOf(values.routes),
    price: values.isFree ? 'free' : changedPrice(values.price, before),
  };
}

function without(fields: object, names: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

/** Without `surfaces`, a model is on all of them, or on none if it has endpoints. */
function isDefault(surfaces: readonly ModelSurface[], endpoints: readonly ModelEndpoint[]): boolean {
  if (endpoints.length > 0) return surfaces.length === 0;
  return surfaces.length === defaultSurfaces.length && defaultSurfaces.every((surface) => surfaces.includes(surface));
}

/** The names of the ways to treat fields without a translation. */
export const untranslatableWords: Readonly<Record<ModelValues['untranslatable'], FixedTextKey>> = {
  hints: 'routes.untranslatableHints',
  refuse: 'routes.untranslatableRefuse',
  drop: 'routes.untranslatableDrop',
};

/** The names of the ways to treat fields that select a price without a tier. */
export const pricedFieldWords: Readonly<Record<ModelValues['pricedFields'], FixedTextKey>> = {
  strip: 'routes.pricedStrip',
  refuse: 'routes.pricedRefuse',
};

const names: Readonly<Record<ModelSurface, FixedTextKey>> = {
  openai: 'routes.surfaceNameChat',
  anthropic: 'routes.surfaceNameMessages',
  'openai-response': 'routes.surfaceNameResponses',
};

/** The display name of a surface. Returns the raw name if this dashboard has no text for it. */
export function surfaceName(surface: string, t: (key: FixedTextKey) => string): string {
  return surface in names ? t(names[surface as ModelSurface]) : surface;
}
