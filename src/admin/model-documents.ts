import { z } from 'zod';
import { unitsText } from '../core/money.ts';
import type { Model } from '../core/model.ts';
import type { ToolPrices } from '../core/price.ts';
import type { CallSums } from '../requests/call-sums.ts';
import { placesPerMillion, placesPerThousand } from './story-documents.ts';
import { moneySchema } from './wire.ts';

const price = moneySchema.describe('A million tokens.');

const prices = z.strictObject({
  input: price,
  cached_input: price,
  cache_write_5m: price,
  cache_write_1h: price,
  output: price,
  provider_tools: z
    .record(z.string(), moneySchema)
    .describe('A thousand uses of tools that the provider runs itself, by their names; others are refused.'),
  is_free: z.boolean(),
});

/** What anybody who may call a model is told of it. */
export const modelFields = {
  id: z.string(),
  aliases: z.array(z.string()),
  owned_by: z.string(),
  surfaces: z.array(z.string()).describe('`openai` is chat completions, `anthropic` is messages.'),
  context_window: z.int().nullable().describe('Tokens; null: not known.'),
  max_output_tokens: z.int().nullable().describe('Tokens; null: not known.'),
  thinking: z.boolean(),
  price: prices,
};

export const modelPrices = { name: 'ModelPrices', schema: prices };

const counts = z.strictObject({ seen: z.int(), parsed: z.int(), repaired: z.int(), failed: z.int() });

export const toolCalls = { name: 'ToolCalls', schema: counts };

/** How well a model has called tools so far. */
export const callsSchema = counts.nullable().describe('How well it has called tools so far; null if it never has.');

export function modelDocument(model: Model): z.input<z.ZodObject<typeof modelFields>> {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, toolUses } = model.price;
  const perMillion = (pico: bigint): string => unitsText(pico, placesPerMillion);
  return {
    id: model.id,
    aliases: [...model.aliases],
    owned_by: model.ownedBy,
    surfaces: [...model.surfaces],
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    thinking: model.thinking,
    price: {
      input: perMillion(input),
      cached_input: perMillion(cachedInput),
      cache_write_5m: perMillion(cacheWrite5m),
      cache_write_1h: perMillion(cacheWrite1h),
      output: perMillion(output),
      provider_tools: toolPrices(toolUses),
      is_free: [input, cachedInput, cacheWrite5m, cacheWrite1h, output].every((each) => each === 0n),
    },
  };
}

/** What is free is free with all its tools, whatever they are called. */
function toolPrices(prices: ToolPrices): Readonly<Record<string, string>> {
  if (prices === 'free') return {};
  return Object.fromEntries(Object.entries(prices).map(([tool, pico]) => [tool, unitsText(pico, placesPerThousand)]));
}

export function callsDocument(calls: CallSums | undefined): z.input<typeof callsSchema> {
  return calls ?? null;
}
