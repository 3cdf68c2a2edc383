import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import { NumberText } from 'chat-formats/json/number-text.ts';
import type { FindingList, FindingSubject } from '../findings.ts';
import { ModelPrices } from '../model-prices.ts';
import type { ModelSettings } from '../plan.ts';
import type { PriceEntry, PriceSettings, TargetGateway } from '../target.ts';
import { textOf, type Values } from '../values.ts';
import type { Deployment } from './deployments.ts';
import { providerModel } from './providers.ts';

type Priced = PriceSettings & Pick<ModelSettings, 'endpoints'>;

/** Modes of models that are no conversations, and the endpoint for each. */
const endpointModes: Readonly<Record<string, PassThroughEndpoint>> = {
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
};
const chatModes: ReadonlySet<string | undefined> = new Set([undefined, 'chat', 'completion', 'responses']);

/** Prices in the deployments, then in the given price list, then in the table of the gateway. */
export class DeploymentPrices {
  readonly #target: TargetGateway;
  readonly #prices: ModelPrices;
  readonly #findings: FindingList;

  constructor(list: readonly PriceEntry[], target: TargetGateway, findings: FindingList) {
    this.#target = target;
    this.#prices = new ModelPrices(list, target, findings);
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

  #priceOf({ params, info }: Deployment, subject: FindingSubject): PriceSettings | undefined {
    const { provider, kind, model } = providerModel(textOf(params['model']) ?? '', params);
    const own = { ...info, ...params };
    if (own['input_cost_per_token'] !== undefined || own['output_cost_per_token'] !== undefined)
      return this.#prices.ofEntry(this.#target.prices.entryOf(model, withNumbers(own)), subject);
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
