import { z } from 'zod';

// The answers that no public format defines, and of the others what differs from their format.

const tokens = z.int().min(0);

/** The charge of a request, in the usage of all formats. */
const costSchema = z
  .string()
  .regex(/^\d+\.\d{2,9}$/)
  .optional()
  .describe(
    'The charge in the currency of the balance, as decimal text. Only if `report_cost` of the key or the site is set. A complete reply then also has it in the header `x-gateway-cost`.',
  );

export const usageSchema = z
  .strictObject({
    prompt_tokens: tokens.describe('Billed input tokens. Authoritative.'),
    completion_tokens: tokens.describe('Billed output tokens. Authoritative.'),
    total_tokens: tokens.describe('`prompt_tokens` plus `completion_tokens`.'),
    prompt_tokens_details: z
      .strictObject({ cached_tokens: tokens, text_tokens: tokens, audio_tokens: tokens, image_tokens: tokens })
      .describe('Parts of the input.'),
    completion_tokens_details: z
      .strictObject({ text_tokens: tokens, audio_tokens: tokens, reasoning_tokens: tokens })
      .describe('Parts of the output.'),
    input_tokens: tokens.describe('Alias of `prompt_tokens`.'),
    output_tokens: z.literal(0).describe('Always 0, regardless of the real output: read `completion_tokens`.'),
    upstream_cache_creation_5_m_tokens: tokens.describe(
      'Input written to a prompt cache with a lifetime of 5 minutes.',
    ),
    upstream_cache_creation_1_h_tokens: tokens.describe('Input written to a prompt cache with a lifetime of 1 hour.'),
    usage_semantic: z.string().describe('The wire format whose counting rules apply. May change.'),
    usage_source: z.string().describe('The provider that answered. May change.'),
    cost: costSchema,
  })
  .refine((usage) => usage.total_tokens === usage.prompt_tokens + usage.completion_tokens, {
    error: 'total_tokens is not the sum of prompt_tokens and completion_tokens',
  })
  .refine((usage) => usage.input_tokens === usage.prompt_tokens, { error: 'input_tokens is not prompt_tokens' });

const finishReason = z
  .string()
  .min(1)
  .nullable()
  .describe('Null until the last chunk of a choice. Any other value than those of the format is terminal too.');

const delta = z.looseObject({
  reasoning_content: z.string().nullish().describe('The next piece of hidden reasoning, while thinking.'),
});

export const chatChunkSchema = chunkSchema(
  'chat.completion.chunk',
  z.looseObject({ delta, finish_reason: finishReason }),
);
export const completionChunkSchema = chunkSchema('text_completion', z.looseObject({ finish_reason: finishReason }));

/** A chunk of one of the two chat formats, with the fields that the gateway sends differently. */
function chunkSchema<Choice extends z.ZodType>(object: string, choice: Choice) {
  return z
    .looseObject({
      object: z.literal(object),
      model: z.string().min(1).describe('The catalog id of the model that answered, also if the request has an alias.'),
      system_fingerprint: z.null(),
      choices: z.array(choice).describe('Empty on the usage chunk.'),
      usage: usageSchema.nullable().describe('Null until the last chunk, which always has it.'),
    })
    .refine(({ choices, usage }) => (choices.length === 0) === (usage !== null), {
      error: 'a chunk has either choices or usage',
    });
}

/** A message or a response: the public format, and the charge in its usage. */
export const chargedAnswer = {
  name: 'ChargedAnswer',
  schema: z.looseObject({ usage: z.looseObject({ cost: costSchema }).nullable() }),
};

export const modelSchema = z.strictObject({
  id: z.string().min(1).describe('The value of `model` in a request.'),
  object: z.literal('model'),
  created: z.literal(1626777600).describe('A placeholder, the same for every model: not a release date.'),
  owned_by: z.string().describe('A label of the provider account behind the model.'),
  supported_endpoint_types: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      'The surfaces that accept the model, its native one first. A model without a conversational surface has its pass-through endpoints instead.',
    ),
});

export const modelListSchema = z.strictObject({
  object: z.literal('list'),
  data: z.array(modelSchema),
  success: z.literal(true),
});

/** A model of the messages format. */
export const messagesModelSchema = z.looseObject({
  id: z.string().describe('The value of `model` in a request.'),
  created_at: z.string().describe('The same placeholder for every model.'),
  max_input_tokens: z.int().nullable().describe('The context window, if the catalog has it.'),
  max_tokens: z.int().nullable().describe('The maximum of `max_tokens`, if the catalog has it.'),
  capabilities: z.null().describe('Always null.'),
  lifecycle: z.literal('active').describe('Every listed model can be used.'),
});

const amount = z.string().regex(/^-?\d+\.\d{2,9}$/);

export const balanceSchema = z.strictObject({
  is_available: z
    .boolean()
    .describe(
      'Whether a request can be paid: the balance is positive or the account is postpaid, and no limit is spent.',
    ),
  balance_infos: z
    .array(
      z.strictObject({
        currency: z.string(),
        total_balance: amount.describe('The sum of both parts. A negative sum is what a postpaid account owes.'),
        granted_balance: amount.describe('Given by the operator; spent first.'),
        topped_up_balance: amount.describe('Paid in.'),
      }),
    )
    .length(1),
});

const errorType = z.enum(['authentication_error', 'gateway_error', 'upstream_error']);

export const errorSchema = z.strictObject({
  error: z
    .strictObject({
      code: z.string().describe('For programs; prefer it, or the status, over `type`. Empty for unparseable bodies.'),
      message: z
        .string()
        .regex(/\(request id: [^()\s]+\)$/)
        .describe('For people; some begin in Chinese. Ends with the request id.'),
      type: errorType,
      param: z.literal('').optional().describe('Present only if a provider rejected the request, and always empty.'),
    })
    .refine((error) => error.param === undefined || error.type === 'upstream_error', {
      error: 'only an upstream_error has a param',
    }),
});

export const messagesErrorSchema = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    code: z.string().describe('For programs; sometimes empty.'),
    type: errorType,
    message: z.string().describe('For people; ends with the request id.'),
    param: z.literal('').optional(),
    details: z
      .strictObject({ error_code: z.string(), unsupported: z.array(z.string()).optional() })
      .optional()
      .describe('Hints for automatic handling by client libraries.'),
  }),
  request_id: z.string(),
});
