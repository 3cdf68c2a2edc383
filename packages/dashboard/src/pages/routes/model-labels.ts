import type { FieldLabels } from '../../text/error-text.ts';
import type { Translate } from '../../text/text.tsx';
import { constraintNames, constraintWords } from './constraint-values.ts';
import { priceNames, priceWords, unitNames, unitWords } from './price-values.ts';

/** The labels of the form fields of a model. */
export function modelLabels(t: Translate): FieldLabels {
  const inside = (group: string, field: string) => t('common.fieldInside', { group, field });
  const ofRoute = (field: string) => inside(t('routes.routeNumber', { place: '{0}' }), field);
  const named = (entries: readonly (readonly [string, string])[]) => Object.fromEntries(entries);
  return {
    id: t('routes.id'),
    aliases: t('routes.aliases'),
    description: t('routes.about'),
    owned_by: t('routes.ownedBy'),
    surfaces: t('routes.surfaces'),
    endpoints: t('routes.endpoints'),
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
    ...scheduleLabels('price', t('routes.partPrice'), t),
    priced_fields: t('routes.pricedFields'),
    routes: t('routes.partRoutes'),
    'routes[]': t('routes.routeNumber', { place: '{0}' }),
    'routes[].upstream': ofRoute(t('upstreams.one')),
    'routes[].model': ofRoute(t('routes.routeModel')),
    'routes[].priority': ofRoute(t('routes.routeOrder')),
    'routes[].weight': ofRoute(t('routes.weight')),
    'routes[].cost': ofRoute(t('routes.cost')),
    ...scheduleLabels('routes[].cost', ofRoute(t('routes.cost')), t, 1),
    // For references in routes and fallbacks.
    upstreams: t('nav.upstreams'),
    models: t('nav.models'),
  };
}

/** The labels of a price schedule. `depth` is the number of lists around it. */
function scheduleLabels(path: string, group: string, t: Translate, depth = 0): FieldLabels {
  const inside = (outer: string, field: string) => t('common.fieldInside', { group: outer, field });
  const tierName = t('routes.tier', { place: `{${depth}}` });
  const tier = depth === 0 ? tierName : inside(group, tierName);
  const ofPrice = priceNames.map((name) => [name, t(priceWords[name])] as const);
  return Object.fromEntries([
    ...ofPrice.map(([name, word]) => [`${path}.${name}`, inside(group, word)]),
    ...unitNames.map((unit) => [`${path}.units.${unit}`, inside(group, t(unitWords[unit]))]),
    [`${path}.provider_tools.*`, inside(group, t('routes.tool'))],
    [`${path}.tiers`, depth === 0 ? t('routes.tiers') : inside(group, t('routes.tiers'))],
    [`${path}.tiers[]`, tier],
    [`${path}.tiers[].when`, tier],
    [`${path}.tiers[].when.prompt_over`, inside(tier, t('routes.promptOver'))],
    [`${path}.tiers[].when.service_tier`, inside(tier, t('routes.serviceTier'))],
    [`${path}.tiers[].when.speed`, inside(tier, t('routes.speed'))],
    [`${path}.tiers[].when.region`, inside(tier, t('routes.region'))],
    [`${path}.tiers[].when.days`, inside(tier, t('routes.days'))],
    [`${path}.tiers[].when.days[]`, inside(tier, t('routes.days'))],
    [`${path}.tiers[].when.from`, inside(tier, t('routes.from'))],
    [`${path}.tiers[].when.to`, inside(tier, t('routes.to'))],
    [`${path}.time_zone`, inside(group, t('routes.timeZone'))],
    [`${path}.tiers[].factor`, inside(tier, t('routes.factor'))],
    ...ofPrice.map(([name, word]) => [`${path}.tiers[].${name}`, inside(tier, word)]),
  ]) as FieldLabels;
}
