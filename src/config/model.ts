import { z } from 'zod';
import { type CamelCased, camelCased } from './camel-case.ts';
import { fallbackReasons } from '../core/model.ts';
import { passThroughEndpoints } from '../core/pass-through-endpoint.ts';
import { description } from './display-name.ts';
import { price, toolPrice, unitPrice } from './decimal.ts';
import { toolFormats } from '../dialects/markup/grammar.ts';
import { modelName, name } from './names.ts';
import { breaks } from './wording.ts';

const priceSchema = z.strictObject({
  input: price.describe('Prompt tokens.'),
  cached_input: price.optional().describe('Prompt tokens the provider read from its cache; `input` if left out.'),
  cache_write_5m: price.optional().describe('Tokens written to a five-minute cache; `input` if left out.'),
  cache_write_1h: price.optional().describe('Tokens written to a one-hour cache; `input` if left out.'),
  output: price.describe('Generated tokens, reasoning included.'),
  provider_tools: z
    .record(z.string().regex(/^[a-z0-9_-]{1,64}$/, breaks('not_a_tool_name')), toolPrice)
    .optional()
    .describe(
      'What a thousand uses of a tool cost that the provider runs itself, by its name: `web_search`, `web_fetch`, `code_execution`, `mcp` and so on. Requests that ask for one that is not listed are refused, or on the responses surface served without it; "0" allows it for nothing, and `price: free` allows all but on the responses surface.',
    ),
  units: z
    .strictObject({
      image: unitPrice.optional().describe('One image that was made.'),
      second: unitPrice.optional().describe('One second of sound that was transcribed.'),
      character: unitPrice.optional().describe('One character that was spoken.'),
      request: unitPrice.optional().describe('One request, or one search unit of a reranker.'),
    })
    .optional()
    .describe(
      'What one unit costs on the `endpoints` that count other things than tokens, beside the tokens that the provider counts there.',
    ),
});

const routeSchema = z.strictObject({
  upstream: name.describe('The `name` of an upstream.'),
  model: z.string().min(1).max(256).optional().describe('What the provider calls the model; the `id` if left out.'),
  priority: z
    .int()
    .min(0)
    .max(1000)
    .prefault(0)
    .describe('Routes of the lowest number are tried first; the others only when those fail.'),
  weight: z.int().min(1).max(1000).prefault(1).describe('Share of the traffic among routes of the same priority.'),
  embeddings_max: z
    .int()
    .min(1)
    .max(2048)
    .optional()
    .describe('How many texts the provider embeds in one call of this model; what its upstream says if left out.'),
  cost: z
    .union([z.literal('free'), priceSchema])
    .optional()
    .describe(
      'What the provider charges you for a million tokens, in the words of `price`. Nobody pays it and only operators see it: it is what the margin in their overview is reckoned with. Not known if left out.',
    ),
});

const keeper = z.enum(['auto', 'provider', 'gateway', 'off']).prefault('auto');

const fallbackSchema = z.strictObject({
  model: modelName.describe('The `id` or an alias of another model.'),
  on: z
    .array(z.enum(fallbackReasons))
    .min(1)
    .refine((reasons) => new Set(reasons).size === reasons.length, breaks('named_twice'))
    .prefault(['failure'])
    .describe(
      'When it is asked. `failure`: every route of the model failed, or none had a place in time. `context_overflow`: the prompt is too long for the model, as we or its provider say. `refusal`: the provider’s filter ended the answer with nothing said.',
    ),
});

const surfaceTag = z.enum(['openai', 'anthropic', 'openai-response']);

/** Where a model is that does not say where. */
export const surfacesUnlessSaid: readonly z.output<typeof surfaceTag>[] = ['anthropic', 'openai-response', 'openai'];

/** One entry of `models:`. */
export const modelSchema = z
  .strictObject({
    id: modelName.describe('The identifier the catalog lists and answers carry; best with a date.'),
    aliases: z
      .array(modelName)
      .max(64)
      .prefault([])
      .describe('Other names clients may use; answers still carry the `id`.'),
    description: description
      .optional()
      .describe('What it is and what it is good at, in a sentence or two, for those who choose a model.'),
    owned_by: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The label shown in the catalog; the upstream of the first route if left out.'),
    surfaces: z
      .array(surfaceTag)
      .min(1)
      .refine((tags) => new Set(tags).size === tags.length, breaks('named_twice'))
      .optional()
      .describe(
        'Surfaces that accept the model: `openai` is chat completions, `anthropic` is messages, `openai-response` is responses. Whatever its provider speaks, a model can be offered on all of them. The catalog lists the native one first and `openai` last. If left out it is on all of them, or on none if it has `endpoints`.',
      ),
    endpoints: z
      .array(z.enum(passThroughEndpoints))
      .refine((names) => new Set(names).size === names.length, breaks('named_twice'))
      .prefault([])
      .describe(
        'Endpoints that hand a body on to the model as it is, and its answer back: `embeddings`, `rerank`, `moderations`, `images` (generations), `speech` and `transcriptions`. Its providers must speak the chat-completions format.',
      ),
    context_window: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe(
        'Tokens the model can hold. Prompts that surely do not fit are refused at once; unchecked if left out.',
      ),
    max_output_tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('Requests for more generated tokens are lowered to this; unlimited if left out.'),
    thinking: z
      .boolean()
      .prefault(false)
      .describe('Whether the model can think. Only then are the defaults for thinking and its effort sent up.'),
    thinks_first: z
      .boolean()
      .optional()
      .describe(
        'Whether the prompt opens the reasoning, so that the text of a thinking model begins inside it. If left out, the first words of a family in `tool_format` that does so are held back until something ends the reasoning, and are the answer if nothing does.',
      ),
    tool_format: z
      .enum(toolFormats, breaks('not_a_tool_format'))
      .optional()
      .describe(
        'Which markup of tool calls to look for in the text: that of one family of models, `auto` for all that cannot be mistaken, `off` for none. Told by the name of the model if left out.',
      ),
    repair_arguments: z
      .boolean()
      .prefault(false)
      .describe(
        'Mends arguments of tool calls that are not valid JSON, where it is certain how: trailing commas, brackets left open, raw control characters. The record of the request tells.',
      ),
    guarantees: z
      .strictObject({
        stop: keeper.describe('Stop sequences never appear in the text.'),
        max_tokens: keeper.describe(
          'No answer is longer than `max_tokens`. What is cut here is cut where no tokenizer makes fewer tokens of it.',
        ),
        strict: keeper.describe(
          'Arguments of tools with `strict: true` fit their schema. They are held until they are whole and do; the model is asked again if they do not.',
        ),
        tool_choice: keeper.describe(
          'With `required` or a named function a call is made, and with `none` no call. The model is asked again if it made none.',
        ),
        json: keeper.describe(
          'With a `response_format` of `json_object` or `json_schema` the text is that JSON and nothing around it.',
        ),
      })
      .prefault({})
      .describe(
        'Who keeps a promise that providers do not all keep. `auto` trusts a provider with what its kind is known to keep and sees to the rest here; `provider` leaves it to the provider as far as its `quirks` say it can; `gateway` sees to it in any case; `off` passes everything on and looks at nothing.',
      ),
    tools: z
      .strictObject({
        attempts: z
          .int()
          .min(0)
          .max(5)
          .prefault(2)
          .describe(
            'How often the model is asked again when it broke a promise that is kept here, with what was wrong, while nothing of what was wrong has gone out. In the end the answer fails (`constraint_violated`).',
          ),
        paid_by: z
          .enum(['account', 'gateway'])
          .prefault('account')
          .describe(
            'Who pays for answers that were thrown away because the model had to be asked again: the account, together with the one it got, or the operator.',
          ),
      })
      .prefault({})
      .describe('What happens when a model has to be asked again, for calls of tools and for JSON alike.'),
    json_delivery: z
      .enum(['stream', 'whole'])
      .prefault('stream')
      .describe(
        'How JSON is passed on that is kept here: `stream` checks it as it comes, so that what has gone out can only be broken off; `whole` holds it until it is valid, so that the model can be asked again for any of it.',
      ),
    untranslatable: z
      .enum(['hints', 'refuse', 'drop'])
      .prefault('hints')
      .describe(
        'What happens to fields that a provider of another format has no word for. `hints` leaves out what cannot change the meaning of a request (`seed`, `min_p`, …), brings `temperature` into the provider’s range and refuses the rest (`n` above 1, `logprobs`, …); `refuse` refuses hints too; `drop` leaves out everything. The record of the request tells.',
      ),
    cache: z
      .enum(['auto', 'off'])
      .prefault('off')
      .describe(
        'Prompt caches for clients that do not know of them. With `auto`, a provider of the messages format gets marks behind long tools, a long system and the last turns of a conversation that goes on, unless the client has set its own; one that keeps the turns of a conversation together (`quirks.cache_affinity`) gets a name for it. What the model reads stays the same. Some providers charge more for what they write to a cache than for other input, see `price`.',
      ),
    continue: z
      .enum(['never', 'prefill'])
      .prefault('never')
      .describe(
        'What happens when a provider dies in the middle of an answer that is only text so far: `never` ends it with an error, `prefill` has another provider go on from the text. Only for models that continue the last assistant message.',
      ),
    fallbacks: z
      .array(fallbackSchema)
      .max(8)
      .prefault([])
      .describe(
        'Other models that answer in its place, in this order, while nothing has been said yet. The answer carries the `id` of the model that gave it and is charged at its price; one that the caller may not use, that cannot take the request, or that the balance does not cover is passed over. Their own fallbacks follow; at most four other models are asked. Conversations only.',
      ),
    routes: z.array(routeSchema).min(1).max(64).describe('Ways to reach the model.'),
    price: z
      .union([z.literal('free'), priceSchema])
      .describe(
        'What a million tokens cost, or `free`. Never guessed: a model without a price is an error. A request keeps the price it began with.',
      )
      .meta({ fix: 'Write `price: free` if it is meant to cost nothing, else `price: { input: "…", output: "…" }`.' }),
  })
  .transform((model) => ({
    ...model,
    owned_by: model.owned_by ?? model.routes[0]?.upstream ?? '',
    surfaces: nativeFirst(model.surfaces ?? (model.endpoints.length > 0 ? [] : surfacesUnlessSaid)),
    routes: model.routes.map((route) => ({ ...route, model: route.model ?? model.id })),
  }));

export type ModelSpec = CamelCased<z.output<typeof modelSchema>>;

/** Renames the fields but not the tools, whose names are the provider's. */
export function modelSpec(model: z.output<typeof modelSchema>): ModelSpec {
  const spec = camelCased(model);
  return {
    ...spec,
    price: withTools(spec.price, model.price),
    routes: spec.routes.map((route, index) => {
      const told = model.routes[index]?.cost;
      return route.cost === undefined || told === undefined ? route : { ...route, cost: withTools(route.cost, told) };
    }),
  };
}

type PriceSpec = CamelCased<z.output<typeof modelSchema>>['price'];

function withTools(spec: PriceSpec, told: z.output<typeof modelSchema>['price']): PriceSpec {
  return spec === 'free' || told === 'free' ? spec : { ...spec, providerTools: told.provider_tools };
}

/** The order is part of the contract of the catalog: `openai` is always the last entry. */
function nativeFirst<Tag extends string>(tags: readonly Tag[]): readonly Tag[] {
  return [...tags.filter((tag) => tag !== 'openai'), ...tags.filter((tag) => tag === 'openai')];
}
