import type { z } from 'zod';
import type { modelSchema } from '../../../platform/config/schema/model.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { ListEntry } from '../../../money/catalog/price-list/list-entry.ts';
import { liteLlmEntry } from '../../../money/catalog/price-list/litellm-table.ts';
import { NumberText } from 'chat-formats/json/number-text.ts';
import type { FindingList, FindingSubject } from '../findings.ts';
import { type PricedModel, ModelPrices } from '../model-prices.ts';
import { textOf, type Values } from '../values.ts';
import type { Deployment } from './deployments.ts';
import { providerModel } from './providers.ts';

type ModelInput = z.input<typeof modelSchema>;
type Priced = PricedModel & Pick<ModelInput, 'endpoints'>;

/** Modes of models that are no conversations, and the endpoint for each. */
const endpointModes: Readonly<Record<string, PassThroughEndpoint>> = {
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
};
const chatModes: ReadonlySet<string | undefined> = new Set([undefined, 'chat', 'completion', 'responses']);

/** Prices in the deployments, then in the given price list, then in the table of the gateway. */
export class DeploymentPrices {
  readonly #prices: ModelPrices;
  readonly #findings: FindingList;

  constructor(list: readonly ListEntry[], findings: FindingList) {
    this.#prices = new ModelPrices(list, findings);
    this.#findings = findings;
  }

  /** The price of the first deployment. `undefined`: there is none, or the model cannot be served. */
  ofModel(group: readonly Deployment[], subject: FindingSubject): Priced | undefined {
    const [first] = group;
    if (!first) return undefined;
    const mode = textOf(first.info['mode']);
    const endpoint = mode === undefined ? undefined : endpointModes[mode];
    if (!endpoint && !chatModes.has(mode)) {
      this.#findings.add('model_mode', subject, { mode: mode ?? '' });
      return undefined;
    }
    const all = group.map((each) => this.#priceOf(each, subject));
    const [price] = all;
    if (!price) {
      this.#findings.add('price_missing', subject);
      return undefined;
    }
    if (all.some((each) => JSON.stringify(each?.price) !== JSON.stringify(price.price)))
      this.#findings.add('deployment_prices_differ', subject, { count: group.length });
    return { ...price, ...(endpoint && { endpoints: [endpoint] }) };
  }

  #priceOf({ params, info }: Deployment, subject: FindingSubject): PricedModel | undefined {
    const { provider, kind, model } = providerModel(textOf(params['model']) ?? '', params);
    const own = { ...info, ...params };
    if (own['input_cost_per_token'] !== undefined || own['output_cost_per_token'] !== undefined)
      return this.#prices.ofEntry(liteLlmEntry(model, withNumbers(own)), subject);
    const name = textOf(info['base_model']) ?? model;
    return this.#prices.find({ name, providers: [provider, ...(kind === undefined ? [] : [kind])] }, subject);
  }
}

/** Prices may be written as text, such as `"2e-6"`. */
export function withNumbers(values: Values): Values {
  const entries = Object.entries(values).map(([name, value]): [string, unknown] => {
    const isCost = /_cost(_|$)/.test(name) && typeof value === 'string';
    return [name, isCost ? new NumberText(value) : value];
  });
  return Object.fromEntries(entries);
}
