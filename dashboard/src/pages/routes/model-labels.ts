import type { FieldLabels } from '../../text/error-text.ts';
import type { Translate } from '../../text/text.tsx';
import { constraintNames, constraintWords } from './constraint-values.ts';
import { priceNames, priceWords, unitNames, unitWords } from './price-values.ts';

/** The labels of the form fields of a model. */
export function modelLabels(t: Translate): FieldLabels {
  const ofPrice = priceNames.map((name) => [name, t(priceWords[name])] as const);
  const inside = (group: string, field: string) => t('common.fieldInside', { group, field });
  const ofRoute = (field: string) => inside(t('routes.routeNumber', { place: '{0}' }), field);
  const ofTier = (field: string) => inside(t('routes.tier', { place: '{0}' }), field);
  const named = (entries: readonly (readonly [string, string])[]) => Object.fromEntries(entries);
  return {
    id: t('routes.id'),
    aliases: t('routes.aliases'),
    description: t('routes.about'),
    owned_by: t('routes.ownedBy'),
    surfaces: t('routes.surfaces'),
    context_window: t('routes.context'),
    max_output_tokens: t('routes.maxOutput'),
    thinking: t('routes.thinking'),
    thinks_first: t('routes.startsWithReasoning'),
    tool_format: t('routes.toolFormat'),
    repair_arguments: t('routes.repair'),
    untranslatable: t('routes.untranslatable'),
    continue: t('routes.continues'),
    json_delivery: t('routes.jsonDelivery'),
    'tools.attempts': t('routes.attempts'),
    'tools.paid_by': t('routes.paidBy'),
    cache: t('routes.cache'),
    guarantees: t('routes.partConstraints'),
    ...named(constraintNames.map((name) => [`guarantees.${name}`, t(constraintWords[name])])),
    fallbacks: t('routes.partFallbacks'),
    'fallbacks[]': t('routes.fallbackNumber', { place: '{0}' }),
    'fallbacks[].model': t('routes.fallbackNumber', { place: '{0}' }),
    price: t('routes.partPrice'),
    ...named(ofPrice.map(([name, word]) => [`price.${name}`, inside(t('routes.partPrice'), word)])),
    ...named(unitNames.map((unit) => [`price.units.${unit}`, inside(t('routes.partPrice'), t(unitWords[unit]))])),
    'price.provider_tools.*': inside(t('routes.partPrice'), t('routes.tool')),
    'price.tiers': t('routes.tiers'),
    'price.tiers[]': t('routes.tier', { place: '{0}' }),
    'price.tiers[].when': t('routes.tier', { place: '{0}' }),
    'price.tiers[].when.prompt_over': ofTier(t('routes.promptOver')),
    'price.tiers[].when.service_tier': ofTier(t('routes.serviceTier')),
    'price.tiers[].when.speed': ofTier(t('routes.speed')),
    'price.tiers[].when.region': ofTier(t('routes.region')),
    'price.tiers[].factor': ofTier(t('routes.factor')),
    ...named(ofPrice.map(([name, word]) => [`price.tiers[].${name}`, ofTier(word)])),
    priced_fields: t('routes.pricedFields'),
    routes: t('routes.partRoutes'),
    'routes[]': t('routes.routeNumber', { place: '{0}' }),
    'routes[].upstream': ofRoute(t('upstreams.one')),
    'routes[].model': ofRoute(t('routes.routeModel')),
    'routes[].priority': ofRoute(t('routes.routeOrder')),
    'routes[].weight': ofRoute(t('routes.weight')),
    'routes[].cost.input': ofRoute(t('routes.costInput')),
    'routes[].cost.output': ofRoute(t('routes.costOutput')),
    // For references in routes and fallbacks.
    upstreams: t('nav.upstreams'),
    models: t('nav.models'),
  };
}
