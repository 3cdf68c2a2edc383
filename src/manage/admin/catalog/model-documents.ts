import { z } from 'zod';
import { unitsText } from '../../../core/money.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { unitNamed } from 'chat-formats/chat/pass-through-endpoint.ts';
import { isWindow, type Price, type PriceTier, type TokenPrices, tokenKinds } from 'chat-formats/price.ts';
import type { CallSums } from '../../../money/requests/rollups/call-sums.ts';
import type { ConstraintSums } from '../../../money/requests/rollups/constraint-sums.ts';
import { factorPlaces, picoPlaces, placesPerMillion, placesPerThousand } from '../requests/request-detail-documents.ts';
import { documentAs, moneySchema } from '../api/wire.ts';
import { samplesMin, roundedShare } from './performance-documents.ts';

const price = moneySchema.describe('Per million tokens.');

const tokenPrices = {
  input: price,
  cached_input: price,
  cache_write_5m: price,
  cache_write_30m: price,
  cache_write_1h: price,
  cache_write_12h: price,
  input_audio: price,
  input_image: price,
  output: price,
  reasoning: price,
  output_audio: price,
};

export const tierSchema = z.strictObject({
  prompt_over: z.int().nullable().describe('For prompts of more tokens than this. Null: any length.'),
  service_tier: z.string().nullable(),
  speed: z.string().nullable(),
  region: z.string().nullable(),
  days: z.array(z.string()).nullable().describe('For requests that are sent on these days. Null: every day.'),
  from: z.string().nullable().describe('For requests that are sent at this time of the day or later.'),
  to: z.string().nullable().describe('For requests that are sent before this time, or on the next day before it.'),
  time_zone: z.string().nullable().describe('The time zone of these. Null: the price is the same all week.'),
  factor: z.string().nullable().describe('Multiplies all prices of tokens. Null: `prices` replace them.'),
  prices: z.strictObject(tokenPrices).nullable(),
});

const prices = z.strictObject({
  ...tokenPrices,
  tiers: z.array(tierSchema).describe('Other prices for long prompts and service levels.'),
  provider_tools: z
    .record(z.string(), moneySchema)
    .describe('Per thousand uses of tools that the provider runs, by tool name. Other provider tools are refused.'),
  units: z.record(z.string(), moneySchema).describe('Per image, second, character or request, on the `endpoints`.'),
  is_free: z.boolean(),
});

/** Facts about a model that every account that may call it can see. */
export const modelFields = {
  id: z.string(),
  aliases: z.array(z.string()),
  description: z.string().nullable().describe('Strengths of the model. Null: not given.'),
  owned_by: z.string(),
  surfaces: z.array(z.string()).describe('`openai` is chat completions, `anthropic` is messages.'),
  endpoints: z
    .array(z.string())
    .describe('Pass-through endpoints: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`.'),
  context_window: z.int().nullable().describe('In tokens. Null: unknown.'),
  max_output_tokens: z.int().nullable().describe('In tokens. Null: unknown.'),
  thinking: z.boolean(),
  price: prices,
};

export const modelPrices = { name: 'ModelPrices', schema: prices };

const counts = z.strictObject({ seen: z.int(), parsed: z.int(), repaired: z.int(), failed: z.int() });

export const toolCalls = { name: 'ToolCalls', schema: counts };

export const callsSchema = counts.nullable().describe('Results of its tool calls so far. Null: no tool calls yet.');

const constraintCounts = z.strictObject({
  constraint: z.string().describe('`stop`, `max_tokens`, `strict`, `tool_choice` or `json`.'),
  seen: z.int().describe('Answers for which the gateway enforced it.'),
  met: z.int().describe('The model met it without help.'),
  repaired: z.int().describe('The gateway repaired the answer.'),
  reprompted: z.int().describe('The answer was discarded, and the model was re-prompted.'),
  violated: z.int().describe('The answer still violated it, and the client got an error.'),
});

export const constraintResults = { name: 'ConstraintResults', schema: constraintCounts };

/** Time window of the reliability figures: long enough for a result, short enough to describe the model of today. */
export const measuredDays = 30;

export const constraintsSchema = z
  .array(constraintCounts)
  .describe(
    `Results of the constraints that the gateway enforces, in the last ${measuredDays} days. Constraints that no request had are left out.`,
  );

/** The same as one figure, for accounts that must not learn the request volume of others. */
export const reliabilitySchema = z
  .number()
  .nullable()
  .describe(
    `Share of answers, from 0 to 1, that met their constraints (stop sequences, caps, strict arguments, tool choice, JSON), in the last ${measuredDays} days and over all accounts. Rounded. Null with fewer than ${samplesMin} such answers.`,
  );

export function modelDocument(model: Model): z.input<z.ZodObject<typeof modelFields>> {
  return documentAs(modelFields, {
    ...model,
    endpoints: model.endpoints ?? [],
    price: {
      ...tokenDocument(model.price, model.price),
      tiers: model.price.tiers.map((each) => tierDocument(each, model.price)),
      ...usePrices(model.price),
      is_free: isFree(model.price),
    },
  });
}

/** Prices with the factor of the package, per million tokens. */
function tokenDocument(of: TokenPrices, { factor }: Price): Readonly<Record<keyof typeof tokenPrices, string>> {
  const perMillion = (pico: bigint): string => unitsText(pico * factor, placesPerMillion + factorPlaces);
  return {
    input: perMillion(of.input),
    cached_input: perMillion(of.cachedInput),
    cache_write_5m: perMillion(of.cacheWrite5m),
    cache_write_30m: perMillion(of.cacheWrite30m),
    cache_write_1h: perMillion(of.cacheWrite1h),
    cache_write_12h: perMillion(of.cacheWrite12h),
    input_audio: perMillion(of.inputAudio),
    input_image: perMillion(of.inputImage),
    output: perMillion(of.output),
    reasoning: perMillion(of.reasoning),
    output_audio: perMillion(of.outputAudio),
  };
}

export function tierDocument({ when, factor, prices: of }: PriceTier, whole: Price): z.input<typeof tierSchema> {
  return {
    prompt_over: when.promptOver ?? null,
    service_tier: when.serviceTier ?? null,
    speed: when.speed ?? null,
    region: when.region ?? null,
    days: when.days === undefined ? null : [...when.days],
    from: when.from ?? null,
    to: when.to ?? null,
    time_zone: isWindow(when) ? (whole.timeZone ?? null) : null,
    factor: factor === undefined ? null : unitsText(factor, factorPlaces),
    prices: of ? tokenDocument(of, whole) : null,
  };
}

function isFree(price: Price): boolean {
  const { toolUses, tiers } = price;
  const ofUnits = toolUses === 'free' ? [] : Object.entries(toolUses).filter(([name]) => unitNamed(name) !== undefined);
  const ofTokens = [price, ...tiers.flatMap((each) => each.prices ?? [])].flatMap((of) =>
    tokenKinds.map((kind) => of[kind]),
  );
  return [...ofTokens, ...ofUnits.map(([, pico]) => pico)].every((each) => each === 0n);
}

/** A free model has no tool prices: all its tools are free. */
function usePrices({ toolUses, factor }: Price) {
  const entries = toolUses === 'free' ? [] : Object.entries(toolUses);
  const text = (pico: bigint, places: number): string => unitsText(pico * factor, places + factorPlaces);
  const tools = entries.filter(([name]) => unitNamed(name) === undefined);
  const ofUnits = entries.flatMap(([name, pico]) => {
    const unit = unitNamed(name);
    return unit === undefined ? [] : [[unit, text(pico, picoPlaces)]];
  });
  return {
    provider_tools: Object.fromEntries(tools.map(([tool, pico]) => [tool, text(pico, placesPerThousand)])),
    units: Object.fromEntries(ofUnits),
  };
}

export function constraintsDocument(constraints: ModelConstraints): z.input<typeof constraintsSchema> {
  return [...constraints].map(([constraint, { met, repaired, reprompted, violated }]) => {
    const seen = met + repaired + reprompted + violated;
    return { constraint, seen, met, repaired, reprompted, violated };
  });
}

/** Discarded answers do not count, since no client saw them. The answers that replaced them count. */
export function reliabilityDocument(constraints: ModelConstraints): z.input<typeof reliabilitySchema> {
  const each = [...constraints.values()];
  const kept = each.reduce((sum, sums) => sum + sums.met + sums.repaired, 0);
  const constrained = each.reduce((sum, { violated }) => sum + violated, kept);
  return constrained < samplesMin ? null : roundedShare(kept / constrained);
}

type ModelConstraints = ReadonlyMap<string, ConstraintSums>;

export function callsDocument(calls: CallSums | undefined): z.input<typeof callsSchema> {
  return calls ?? null;
}
