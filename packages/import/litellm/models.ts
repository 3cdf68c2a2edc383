import type { FindingList } from '../findings.ts';
import { modelIdForm } from '../item-name.ts';
import type { ModelSettings, PlannedModel } from '../plan.ts';
import { listOf, recordOf, textOf, textsOf, type Values } from '../values.ts';
import type { Deployment } from './deployments.ts';
import { plannedFallbacks } from './fallbacks.ts';
import type { DeploymentPrices } from './prices.ts';
import type { DeploymentRoute } from './upstreams.ts';

const routesMax = 64;
const weightMax = 1000;

export interface ModelParts {
  readonly config: Values;
  readonly routes: ReadonlyMap<Deployment, DeploymentRoute>;
  readonly prices: DeploymentPrices;
  /** Model names that keys and teams list. A wildcard deployment serves those that it matches. */
  readonly listed: readonly string[];
  readonly findings: FindingList;
}

/** Plans one model for all deployments with the same name, and a route for each. */
export function planModels(deployments: readonly Deployment[], parts: ModelParts): readonly PlannedModel[] {
  const { findings } = parts;
  const groups = Map.groupBy(withoutWildcards(deployments, parts), ({ modelName }) => modelName);
  const specs = [...groups].flatMap(([id, group]): ModelSettings[] => {
    const subject = { kind: 'model', sourceId: id } as const;
    if (!modelIdForm.test(id)) {
      findings.add('model_name_invalid', subject, { name: id });
      return [];
    }
    const [first] = group;
    if (!first) return [];
    const prices = parts.prices.ofModel(group, subject);
    if (!prices) return [];
    const routes = routesOf(group, parts.routes).slice(0, routesMax);
    if (group.length > routesMax) findings.add('routes_left_out', subject, { count: group.length - routesMax });
    return [{ id, routes, ...prices }];
  });
  return withFallbacks(withAliases(specs, parts), parts).map((spec) => ({ sourceId: spec.id, spec }));
}

/** Replaces `openai/*` by the listed models that it matches. The gateway has no models without a name and a price. */
function withoutWildcards(deployments: readonly Deployment[], parts: ModelParts): readonly Deployment[] {
  const named = new Set(deployments.map(({ modelName }) => modelName));
  return deployments.flatMap((deployment) => {
    const { modelName } = deployment;
    if (!modelName.includes('*')) return [deployment];
    const form = new RegExp(`^${modelName.split('*').map(escaped).join('(.*)')}$`);
    const matched = parts.listed.filter((name) => !name.includes('*') && !named.has(name) && form.test(name));
    const subject = { kind: 'model', sourceId: modelName } as const;
    parts.findings.add('wildcard_model', subject, { name: modelName, count: matched.length });
    return matched.map((name) => {
      const star = form.exec(name)?.[1] ?? name;
      const model = (textOf(deployment.params['model']) ?? '').replace('*', star);
      const expanded = { ...deployment, modelName: name, params: { ...deployment.params, model } };
      const route = parts.routes.get(deployment);
      if (route)
        (parts.routes as Map<Deployment, DeploymentRoute>).set(expanded, {
          ...route,
          model: route.model.replace('*', star),
        });
      return expanded;
    });
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function routesOf(group: readonly Deployment[], routes: ModelParts['routes']): ModelSettings['routes'] {
  const weights = group.map(({ params }) => Number(textOf(params['weight'] ?? params['rpm'] ?? params['tpm']) ?? '1'));
  const largest = Math.max(...weights.filter(Number.isFinite), 1);
  const factor = largest > weightMax || weights.some((weight) => !Number.isInteger(weight)) ? weightMax / largest : 1;
  return group.flatMap((deployment, index) => {
    const route = routes.get(deployment);
    if (!route) return [];
    const order = Number(textOf(deployment.params['order']) ?? '0');
    const weight = Math.max(1, Math.round((weights[index] || 1) * factor));
    return [{ ...route, weight, ...(Number.isInteger(order) && order > 0 && { priority: Math.min(order, 1000) }) }];
  });
}

/** `model_group_alias`: other names of models. */
function withAliases(specs: readonly ModelSettings[], { config, findings }: ModelParts): readonly ModelSettings[] {
  const ids = new Set(specs.map(({ id }) => id));
  const aliases = Object.entries(recordOf(recordOf(config['router_settings'])['model_group_alias']));
  const taken = new Map<string, string[]>();
  for (const [alias, value] of aliases) {
    const target = textOf(value) ?? textOf(recordOf(value)['model']);
    const subject = { kind: 'setting', sourceId: `model_group_alias.${alias}` } as const;
    if (target === undefined || !ids.has(target) || ids.has(alias) || !modelIdForm.test(alias))
      findings.add('alias_not_taken', subject, { alias, model: target ?? '' });
    else taken.set(target, [...(taken.get(target) ?? []), alias]);
  }
  return specs.map((spec) => ({ ...spec, ...(taken.has(spec.id) && { aliases: taken.get(spec.id) ?? [] }) }));
}

function withFallbacks(specs: readonly ModelSettings[], { config, findings }: ModelParts): readonly ModelSettings[] {
  const settings = { ...recordOf(config['litellm_settings']), ...recordOf(config['router_settings']) };
  const fallbacks = plannedFallbacks(
    specs.map(({ id, aliases }) => ({ id, names: [id, ...(aliases ?? [])] })),
    {
      failure: pairsOf(settings['fallbacks']),
      context_overflow: pairsOf(settings['context_window_fallbacks']),
      refusal: pairsOf(settings['content_policy_fallbacks']),
    },
    { forAll: textsOf(settings['default_fallbacks']), findings },
  );
  return specs.map((spec) => ({ ...spec, ...(fallbacks.has(spec.id) && { fallbacks: fallbacks.get(spec.id) ?? [] }) }));
}

/** `[{ "model": ["other", …] }]` as pairs. */
function pairsOf(value: unknown): readonly (readonly [model: string, other: string])[] {
  return listOf(value).flatMap((entry) =>
    Object.entries(recordOf(entry)).flatMap(([model, others]) =>
      (typeof others === 'string' ? [others] : textsOf(others)).map((other) => [model, other] as const),
    ),
  );
}
