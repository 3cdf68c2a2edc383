import { optional, prefault, z } from 'zod';
import { bool, choice, flag, list, text, whole } from './fields.ts';
import { type CamelCased, camelCased } from './values/camel-case.ts';
import { rightFields } from 'chat-formats/fields-that-cost.ts';
import { fallbackReasons } from 'chat-formats/chat/model.ts';
import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import { description } from './values/display-name.ts';
import { factor, price, toolPrice, unitPrice } from './values/decimal.ts';
import { toolFormats } from 'chat-formats/chat/tool-formats.ts';
import { modelName, name } from './names.ts';
import { timeZone } from './key-limits.ts';
import { weekdays } from 'chat-formats/price.ts';
import { breaks } from '../file/wording.ts';

const tokenPrices = {
  input: price.describe('Prompt tokens.'),
  cached_input: price.optional().describe('Prompt tokens that the provider read from its cache; `input` if left out.'),
  cache_write_5m: price
    .optional()
    .describe('Tokens written to a five-minute cache; `cache_write_30m`, or else `input`, if left out.'),
  cache_write_30m: price
    .optional()
    .describe('Tokens written to a cache for 30 minutes; `cache_write_5m`, or else `input`, if left out.'),
  cache_write_1h: price
    .optional()
    .describe('Tokens written to a one-hour cache; `cache_write_12h`, or else `input`, if left out.'),
  cache_write_12h: price
    .optional()
    .describe(
      'Tokens written to a cache for 12 hours; the dearest of `input`, `cache_write_5m` and `cache_write_1h` if left out.',
    ),
  input_audio: price.optional().describe('Prompt tokens of audio; `input` if left out.'),
  input_image: price.optional().describe('Prompt tokens of images; `input` if left out.'),
  output: price.describe('Generated tokens.'),
  reasoning: price.optional().describe('Generated tokens of reasoning; `output` if left out.'),
  output_audio: price.optional().describe('Generated tokens of audio; `output` if left out.'),
};

const timeOfDay = (last: string) =>
  z.string().regex(new RegExp(`^(?:([01]\\d|2[0-3]):[0-5]\\d${last})$`), breaks('not_a_time_of_day'));

const levelName = z.string().regex(/^[a-z0-9_-]{1,64}$/, breaks('not_a_service_level'));

const tierSchema = z
  .strictObject({
    when: z
      .strictObject({
        prompt_over: optional(whole(1, 1_000_000_000)).describe(
          'For prompts of more tokens than this, cached ones included. All tokens of the request get the price.',
        ),
        service_tier: optional(levelName).describe(
          'For answers at this service tier, such as `priority`, `flex` or `batch`.',
        ),
        speed: levelName.optional().describe('For answers at this speed, such as `fast`.'),
        region: levelName.optional().describe('For answers from this region (`inference_geo`), such as `us`.'),
        days: optional(z.array(z.enum(weekdays)).min(1).max(7)).describe(
          'For requests that are sent on these days: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`; every day if left out. A window that crosses midnight begins on one of them.',
        ),
        from: optional(timeOfDay('')).describe(
          'For requests that are sent at this time of the day or later, such as "00:30", in the `time_zone` of the price; "00:00" if left out.',
        ),
        to: optional(timeOfDay('|24:00')).describe(
          'For requests that are sent before this time, such as "08:30"; "24:00" if left out. A time that is not after `from` is on the next day.',
        ),
      })
      .refine((when) => Object.keys(when).length > 0, breaks('tier_without_condition'))
      .describe('All conditions must hold.'),
    factor: optional(factor).describe(
      'Multiplies the prices of all tokens. The factors of all tiers that apply are multiplied.',
    ),
    ...tokenPrices,
    input: tokenPrices.input.optional(),
    output: tokenPrices.output.optional(),
  })
  .refine((tier) => {
    const isPriced = Object.keys(tokenPrices).some((kind) => tier[kind as keyof typeof tokenPrices] !== undefined);
    return tier.factor === undefined ? tier.input !== undefined && tier.output !== undefined : !isPriced;
  }, breaks('tier_without_price'));

const priceSchema = z.strictObject({
  ...tokenPrices,
  source: optional(z.string().min(1).max(512)).describe(
    'Where these prices come from, and their day, such as `api.json openai/gpt-4o, 2026-10-01`. An import writes it. It does not change the price.',
  ),
  provider_tools: optional(
    z.record(z.string().regex(/^[a-z0-9_-]{1,64}$/, breaks('not_a_tool_name')), toolPrice),
  ).describe(
    'Price of a thousand uses of a tool that the provider runs itself, by tool name: `web_search`, `web_fetch`, `code_execution`, `mcp` and so on. A request for a tool that is not listed is refused; on the responses surface, it is served without the tool. "0" allows a tool free of charge. `price: free` allows all tools, except on the responses surface. `image_generation_input_tokens` and `image_generation_output_tokens` price the tokens with which the image tool draws, if the request names no model of the catalog for it.',
  ),
  units: z
    .strictObject({
      image: unitPrice.optional().describe('One generated image.'),
      second: unitPrice.optional().describe('One second of transcribed audio.'),
      character: unitPrice.optional().describe('One character converted to speech.'),
      request: optional(unitPrice).describe(
        'One request, also on the surfaces for conversations; or one search unit of a reranker.',
      ),
    })
    .optional()
    .describe(
      'Price of one unit on the `endpoints` that count units other than tokens. Tokens that the provider counts there are charged in addition.',
    ),
  time_zone: optional(timeZone).describe(
    'The time zone of `days`, `from` and `to` of its tiers, such as `Asia/Shanghai`; UTC if left out.',
  ),
  tiers: optional(z.array(tierSchema).max(64)).describe(
    'Other prices for long prompts, for service levels and for times of the week. Of the tiers with prices, the first whose conditions hold replaces the prices. A service level that no tier names is not forwarded to the provider (see `priced_fields`).',
  ),
});

/** The price of a model, which also has a factor for batches. */
export const modelPriceSchema = priceSchema.extend({
  batch: optional(factor).describe(
    'Multiplies the prices of all tokens for lines of batches, such as "0.5". Lines cost as much as other requests if it is left out.',
  ),
});

const routeSchema = z.strictObject({
  upstream: name.describe('The `name` of an upstream.'),
  model: text(1, 256).optional().describe('The provider’s name of the model; the `id` if left out.'),
  priority: prefault(whole(0, 1000), 0).describe(
    'Routes with the lowest number are tried first; the others only if those fail.',
  ),
  weight: whole(1, 1000).prefault(1).describe('Share of the traffic among routes of the same priority.'),
  embeddings_max: optional(whole(1, 2048)).describe(
    'Maximum number of texts that the provider embeds in one call of this model; the limit of its upstream if left out.',
  ),
  cost: optional(z.union([z.literal('free'), priceSchema])).describe(
    'The price that the provider charges you for a million tokens, in the form of `price`. Accounts never pay it, and only operators see it: the margin in their overview is computed from it. Unknown if left out.',
  ),
});

const enforcedBy = choice(['auto', 'provider', 'gateway', 'off'], 'auto');

const fallbackSchema = z.strictObject({
  model: modelName.describe('The `id` or an alias of another model.'),
  on: z
    .array(z.enum(fallbackReasons))
    .min(1)
    .refine((reasons) => new Set(reasons).size === reasons.length, breaks('named_twice'))
    .prefault(['failure'])
    .describe(
      'When it is called. `failure`: every route of the model failed, or none had a free slot in time. `context_overflow`: the prompt is too long for the model, as the gateway or the provider found. `refusal`: the provider’s filter ended the answer before any content.',
    ),
});

const surfaceTag = z.enum(['openai', 'anthropic', 'openai-response']);

/** Used for a model that has neither `surfaces` nor `endpoints`. */
export const defaultSurfaces: readonly z.output<typeof surfaceTag>[] = ['anthropic', 'openai-response', 'openai'];

export const modelSchema = z
  .strictObject({
    id: modelName.describe('The identifier in the catalog and in answers; best with a date.'),
    aliases: list(modelName, 64).describe('Other names that clients may use; answers still contain the `id`.'),
    description: optional(description).describe(
      'A description of its strengths in one or two sentences, for users who choose a model.',
    ),
    owned_by: optional(text(1, 64)).describe(
      'The label shown in the catalog; the upstream of the first route if left out.',
    ),
    surfaces: z
      .array(surfaceTag)
      .min(1)
      .refine((tags) => new Set(tags).size === tags.length, breaks('named_twice'))
      .optional()
      .describe(
        'Client APIs (surfaces) that accept the model: `openai` is chat completions, `anthropic` is messages, `openai-response` is responses. A model can be offered on all of them, regardless of the format of its provider. The catalog lists the native one first and `openai` last. If left out, the model is on all of them, or on none if it has `endpoints`.',
      ),
    endpoints: prefault(
      z
        .array(z.enum(passThroughEndpoints))
        .refine((names) => new Set(names).size === names.length, breaks('named_twice')),
      [],
    ).describe(
      'Pass-through endpoints, which forward the body to the model unchanged and return its answer: `embeddings`, `rerank`, `moderations`, `images` (generations), `speech` and `transcriptions`. Its providers must use the chat-completions format.',
    ),
    context_window: optional(whole(1, 1_000_000_000)).describe(
      'Tokens the model can hold. Prompts that certainly do not fit are refused at once. Not checked if left out.',
    ),
    max_output_tokens: optional(whole(1, 1_000_000_000)).describe(
      'Maximum number of generated tokens; a request for more is lowered to it. Unlimited if left out.',
    ),
    thinking: flag.describe(
      'Whether the model can think. Only then are the defaults for thinking and its effort sent to the provider.',
    ),
    thinks_first: optional(bool).describe(
      'Whether the prompt opens the reasoning, so that the text of a thinking model begins inside it. If left out, and the family in `tool_format` does so, the first words are held back until an end of the reasoning arrives. If none arrives, they are the answer.',
    ),
    tool_format: optional(z.enum(toolFormats, breaks('not_a_tool_format'))).describe(
      'Which tool-call markup to look for in the text: that of one family of models, `auto` for every unambiguous one, `off` for none. Chosen by the name of the model if left out.',
    ),
    repair_arguments: flag.describe(
      'Whether to repair tool-call arguments that are not valid JSON, if the repair is unambiguous: trailing commas, open brackets, raw control characters. The record of the request shows it.',
    ),
    guarantees: z
      .strictObject({
        stop: enforcedBy.describe('Stop sequences never appear in the text.'),
        max_tokens: enforcedBy.describe(
          'No answer is longer than `max_tokens`. The gateway truncates only where every tokenizer has reached the cap.',
        ),
        strict: enforcedBy.describe(
          'Arguments of tools with `strict: true` fit their schema. They are held until they are complete and fit; if they do not fit, the model is re-prompted.',
        ),
        tool_choice: enforcedBy.describe(
          'With `required` or a named function, the model makes a call; with `none`, it makes no call. If a required call is missing, the model is re-prompted.',
        ),
        json: enforcedBy.describe(
          'With a `response_format` of `json_object` or `json_schema`, the text is that JSON with nothing around it.',
        ),
      })
      .prefault({})
      .describe(
        'Which side enforces a constraint that not all providers enforce. With `auto`, the gateway enforces it unless the provider’s kind is known to do so. With `provider`, the provider does, unless its `quirks` state that it cannot. With `gateway`, the gateway always does. With `off`, answers pass unchecked.',
      ),
    tools: z
      .strictObject({
        attempts: prefault(whole(0, 5), 2).describe(
          'How often the model is re-prompted, with the error, after it violates a constraint that the gateway enforces. It is re-prompted only while no part of the violation has been sent to the client. After the last attempt, the answer fails (`constraint_violated`).',
        ),
        paid_by: choice(['account', 'gateway'], 'account').describe(
          'The payer of answers that were discarded for a re-prompt: the account, together with the final answer, or the operator (`gateway`).',
        ),
      })
      .prefault({})
      .describe('Re-prompts of the model, for tool calls and for JSON.'),
    json_delivery: choice(['stream', 'whole'], 'stream').describe(
      'How JSON that the gateway enforces is delivered. `stream` checks it as it arrives; an answer that is already partly sent can then only be aborted. `whole` holds it until it is valid, so that the model can be re-prompted for any part of it.',
    ),
    untranslatable: choice(['hints', 'refuse', 'drop'], 'hints').describe(
      'What happens to fields that do not exist in the format of the provider. `hints` drops fields that cannot change the meaning of a request (`seed`, `min_p`, …), moves `temperature` into the provider’s range and refuses requests with other fields (`n` above 1, `logprobs`, …). `refuse` refuses hints too. `drop` drops all of them. The record of the request shows it.',
    ),
    priced_fields: choice(['strip', 'refuse'], 'strip').describe(
      'What happens to fields with which a client selects another price at the provider (`service_tier`, `speed`, `inference_geo`, betas such as fast mode) if no tier of `price` names their value. `strip` removes them, and the record of the request shows it. `refuse` refuses the request.',
    ),
    allowed_fields: prefault(z.array(z.enum(rightFields)), []).describe(
      'Fields of requests that use the rights or the reports of your account at the provider: `access_programs`, `billing_policy`, `diagnostics`, `multi_agent`, `prompt_cache_options` (its `comparison_response_id`), `tags`, `user_profile_id`, `workspace_id`. A field that is not listed is removed, and the record of the request shows it.',
    ),
    cache: choice(['auto', 'off'], 'off').describe(
      'Prompt caching for clients that do not set it up themselves. With `auto`, a provider of the messages format gets cache markers after long tools, after a long system prompt and after the last turns of a continued conversation, unless the client set its own. A provider that keeps the requests of a conversation together (`quirks.cache_affinity`) gets a name for the conversation. The text that the model reads stays the same. Some providers charge more for cache writes than for other input, see `price`.',
    ),
    continue: choice(['never', 'prefill'], 'never').describe(
      'What happens if a provider fails in the middle of an answer that is only text so far: `never` ends it with an error, `prefill` lets another provider continue the text. Only for models that continue the last assistant message.',
    ),
    fallbacks: list(fallbackSchema, 8).describe(
      'Other models that answer instead, in this order, while no content has been sent. The answer contains the `id` of the model that gave it and is charged at its price. A model is skipped if the caller may not use it, if it cannot take the request, or if the balance does not cover it. Their own fallbacks follow; at most four other models are called. Conversations only.',
    ),
    routes: z.array(routeSchema).min(1).max(64).describe('Ways to reach the model.'),
    price: z
      .union([z.literal('free'), modelPriceSchema])
      .describe(
        'Price of a million tokens, or `free`. It is never guessed: a model without a price is an error. A request keeps the price it began with.',
      )
      .meta({ fix: 'Write `price: free` if it costs nothing, else `price: { input: "…", output: "…" }`.' }),
  })
  .transform((model) => ({
    ...model,
    owned_by: model.owned_by ?? model.routes[0]?.upstream ?? '',
    surfaces: nativeFirst(model.surfaces ?? (model.endpoints.length > 0 ? [] : defaultSurfaces)),
    routes: model.routes.map((route) => ({ ...route, model: route.model ?? model.id })),
  }));

export type ModelSpec = CamelCased<z.output<typeof modelSchema>>;

/** Renames the fields, except the names of tools, which the provider defines. */
export function modelSpec(model: z.output<typeof modelSchema>): ModelSpec {
  const spec = camelCased(model);
  return {
    ...spec,
    price: withTools(spec.price, model.price),
    routes: spec.routes.map((route, index) => {
      const written = model.routes[index]?.cost;
      if (route.cost === undefined || written === undefined) return route;
      return { ...route, cost: withTools(route.cost, written) };
    }),
  };
}

type PriceSpec = CamelCased<z.output<typeof modelSchema>>['price'];

function withTools(spec: PriceSpec, written: z.output<typeof modelSchema>['price']): PriceSpec {
  return spec === 'free' || written === 'free' ? spec : { ...spec, providerTools: written.provider_tools };
}

/** The contract of the catalog fixes the order: `openai` is always the last entry. */
function nativeFirst<Tag extends string>(tags: readonly Tag[]): readonly Tag[] {
  return [...tags.filter((tag) => tag !== 'openai'), ...tags.filter((tag) => tag === 'openai')];
}
