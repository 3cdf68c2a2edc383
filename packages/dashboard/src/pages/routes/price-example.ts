import { chargeOf } from '../../../../../src/money/billing/ledger/cost.ts';
import { camelCased } from '../../../../../src/platform/config/schema/camel-case.ts';
import { priceFigures } from '../../../../../src/platform/config/schema/price-figures.ts';
import { unitName } from 'chat-formats/chat/pass-through-endpoint.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import type { PriceSpec } from '../../api/resource.ts';

type Tier = NonNullable<PriceSpec['tiers']>[number];

/** The charge for one request. */
export interface PricedExample {
  /** The tier that the request selects; undefined: none. */
  readonly tier: Tier | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** A decimal string. */
  readonly cost: string;
}

const promptTokensUsual = 1000;
const completionTokens = 500;

/**
 * The charge for a request without options and for a request that meets the conditions of each tier. The gateway's own
 * code calculates it, with all tiers, so that a tier that never applies shows.
 */
export function pricedExamples(spec: PriceSpec): readonly PricedExample[] {
  const price = { ...priceFigures(camelCased(spec)), version: '' };
  const { tiers = [] } = spec;
  const shortest = Math.min(promptTokensUsual, ...tiers.flatMap(({ when }) => when.prompt_over ?? []));
  return [undefined, ...tiers].map((tier) => {
    const { prompt_over: promptOver, ...level } = tier?.when ?? {};
    const promptTokens = promptOver === undefined ? shortest : Math.max(promptTokensUsual, promptOver + 1);
    const usage = { ...unreportedUsage, promptTokens, completionTokens, toolUses: { [unitName('request')]: 1 } };
    return { tier, promptTokens, completionTokens, cost: decimalText(chargeOf([usage], price, camelCased(level))) };
  });
}
