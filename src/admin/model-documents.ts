import { z } from 'zod';
import { unitsText } from '../core/money.ts';
import type { Model } from '../core/model.ts';
import { unitNamed } from '../core/pass-through-endpoint.ts';
import type { Price, ToolPrices } from '../core/price.ts';
import type { CallSums } from '../requests/call-sums.ts';
import type { ConstraintSums } from '../requests/constraint-days.ts';
import { picoPlaces, placesPerMillion, placesPerThousand } from './request-detail-documents.ts';
import { moneySchema } from './wire.ts';
import { othersLeast, roundedShare } from './performance-documents.ts';

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
  units: z.record(z.string(), moneySchema).describe('One image, second, character or request, on the `endpoints`.'),
  is_free: z.boolean(),
});

/** What anybody who may call a model is told of it. */
export const modelFields = {
  id: z.string(),
  aliases: z.array(z.string()),
  description: z.string().nullable().describe('What it is good at; null: not said.'),
  owned_by: z.string(),
  surfaces: z.array(z.string()).describe('`openai` is chat completions, `anthropic` is messages.'),
  endpoints: z
    .array(z.string())
    .describe(
      'Endpoints that hand bodies on to it: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`.',
    ),
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

const constraintCounts = z.strictObject({
  constraint: z.string().describe('`stop`, `max_tokens`, `strict`, `tool_choice` or `json`.'),
  seen: z.int().describe('Answers of the model that the gateway watched over for it.'),
  met: z.int().describe('The model kept it by itself.'),
  repaired: z.int().describe('The gateway mended the answer.'),
  reprompted: z.int().describe('The answer was thrown away, and the model asked once more.'),
  violated: z.int().describe('Nothing helped, and the client was told.'),
});

export const constraintResults = { name: 'ConstraintResults', schema: constraintCounts };

/** How far back reliability is measured: long enough to say something, short enough to be about the model of today. */
export const measuredDays = 30;

/** How reliable a model is, constraint by constraint. */
export const constraintsSchema = z
  .array(constraintCounts)
  .describe(
    `What became of constraints that the gateway keeps for it, in the last ${measuredDays} days; what was never asked for is not mentioned.`,
  );

/** The same as one figure, for those who must not learn how much others ask. */
export const reliabilitySchema = z
  .number()
  .nullable()
  .describe(
    `The share of answers, from 0 to 1, whose stop sequences, caps, strict arguments, tool choices and JSON were as promised, in the last ${measuredDays} days and over all accounts: rounded, and null where fewer than ${othersLeast} were promised something.`,
  );

export function modelDocument(model: Model): z.input<z.ZodObject<typeof modelFields>> {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, toolUses } = model.price;
  const perMillion = (pico: bigint): string => unitsText(pico, placesPerMillion);
  return {
    id: model.id,
    aliases: [...model.aliases],
    description: model.description ?? null,
    owned_by: model.ownedBy,
    surfaces: [...model.surfaces],
    endpoints: [...(model.endpoints ?? [])],
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    thinking: model.thinking,
    price: {
      input: perMillion(input),
      cached_input: perMillion(cachedInput),
      cache_write_5m: perMillion(cacheWrite5m),
      cache_write_1h: perMillion(cacheWrite1h),
      output: perMillion(output),
      ...usePrices(toolUses),
      is_free: isFree(model.price),
    },
  };
}

function isFree({ input, cachedInput, cacheWrite5m, cacheWrite1h, output, toolUses }: Price): boolean {
  const ofUnits = toolUses === 'free' ? [] : Object.entries(toolUses).filter(([name]) => unitNamed(name) !== undefined);
  const figures = [input, cachedInput, cacheWrite5m, cacheWrite1h, output, ...ofUnits.map(([, pico]) => pico)];
  return figures.every((each) => each === 0n);
}

/** What is free is free with all its tools, whatever they are called. */
function usePrices(prices: ToolPrices) {
  const entries = prices === 'free' ? [] : Object.entries(prices);
  const tools = entries.filter(([name]) => unitNamed(name) === undefined);
  const ofUnits = entries.flatMap(([name, pico]) => {
    const unit = unitNamed(name);
    return unit === undefined ? [] : [[unit, unitsText(pico, picoPlaces)]];
  });
  return {
    provider_tools: Object.fromEntries(tools.map(([tool, pico]) => [tool, unitsText(pico, placesPerThousand)])),
    units: Object.fromEntries(ofUnits),
  };
}

export function constraintsDocument(constraints: ModelConstraints): z.input<typeof constraintsSchema> {
  return [...constraints].map(([constraint, { met, repaired, reprompted, violated }]) => {
    const seen = met + repaired + reprompted + violated;
    return { constraint, seen, met, repaired, reprompted, violated };
  });
}

/** Answers that were thrown away nobody has seen: what became of those in their place is counted. */
export function reliabilityDocument(constraints: ModelConstraints): z.input<typeof reliabilitySchema> {
  const each = [...constraints.values()];
  const met = each.reduce((sum, sums) => sum + sums.met + sums.repaired, 0);
  const checked = each.reduce((sum, { violated }) => sum + violated, met);
  return checked < othersLeast ? null : roundedShare(met / checked);
}

type ModelConstraints = ReadonlyMap<string, ConstraintSums>;

export function callsDocument(calls: CallSums | undefined): z.input<typeof callsSchema> {
  return calls ?? null;
}
