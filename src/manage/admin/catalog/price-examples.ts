import { z } from 'zod';
import { unitName } from 'chat-formats/chat/pass-through-endpoint.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { isWindow, type Price, type PriceTier, type Weekday, weekdays } from 'chat-formats/price.ts';
import { dayMs, defaultTimeZone, hourMs } from '../../../core/time/calendar-day.ts';
import { decimalText } from '../../../core/money.ts';
import { chargeOf } from '../../../money/billing/ledger/cost.ts';
import { camelCased } from '../../../platform/config/schema/values/camel-case.ts';
import { modelPriceSchema } from '../../../platform/config/schema/model.ts';
import { priceFigures } from '../../../platform/config/schema/price-figures.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { moneySchema } from '../api/wire.ts';
import { tierDocument, tierSchema } from './model-documents.ts';

const exampleSchema = z.strictObject({
  tier: tierSchema.nullable().describe('The tier whose conditions the request meets. Null: a request without options.'),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost: moneySchema,
});

/** A form asks while its user types, so the prices need not be those of a model. */
export const priceExampleEndpoint: Endpoint = readEndpoint(
  'GET /admin/v1/price-examples',
  'readPriceExamples',
  'read-only',
  {
    summary: 'Calculate what example requests cost at a price: one without options, and one for each tier.',
    query: z.strictObject({
      price: z
        .string()
        .transform((text) => foreignJson(text))
        .pipe(modelPriceSchema)
        .describe('The `price` of a model, as JSON.'),
    }),
    reply: {
      name: 'PriceExamples',
      schema: z.strictObject({ data: z.array(exampleSchema) }),
      inside: [
        { name: 'PriceExample', schema: exampleSchema },
        { name: 'ModelTier', schema: tierSchema },
      ],
    },
    run: async ({ query: { price } }) => ({ data: examplesAt({ ...priceFigures(camelCased(price)), version: '' }) }),
  },
);

const promptTokensUsual = 1000;
const completionTokens = 500;

/** All tiers apply to each request, so that a tier that never applies shows. */
function examplesAt(price: Price): z.input<typeof exampleSchema>[] {
  const shortest = Math.min(promptTokensUsual, ...price.tiers.flatMap(({ when }) => when.promptOver ?? []));
  return [undefined, ...price.tiers].map((tier) => exampleOf(price, tier, shortest));
}

function exampleOf(price: Price, tier: PriceTier | undefined, shortest: number): z.input<typeof exampleSchema> {
  const { promptOver, days: [day = 'mon'] = [], from = '00:00', to: _to, ...level } = tier?.when ?? {};
  const promptTokens = promptOver === undefined ? shortest : Math.max(promptTokensUsual, promptOver + 1);
  const toolUses = { [unitName('request')]: 1 };
  // A tier with a window of the week has an example at its beginning, whatever its time zone.
  const sentAt = tier && isWindow(tier.when) ? momentInUtc(day, from) : undefined;
  const usage = { ...unreportedUsage, promptTokens, completionTokens, toolUses, sentAt };
  return {
    tier: tier ? tierDocument(tier, price) : null,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cost: decimalText(chargeOf([usage], { ...price, timeZone: defaultTimeZone }, level)),
  };
}

/** Some Monday. */
const monday = Date.UTC(2026, 0, 5);

function momentInUtc(day: Weekday, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return monday + weekdays.indexOf(day) * dayMs + hours * hourMs + minutes * (hourMs / 60);
}
