import { z } from 'zod';

// The schemas of all answers of the public endpoints. They are strict, so that real answers can be validated.

const tokens = z.int().min(0);
const unixSeconds = z.int().min(0);
const choiceIndex = z.int().min(0).describe('The index of the choice.');

const finishReason = z
  .string()
  .min(1)
  .nullable()
  .describe(
    'Null until the last chunk of a choice. `stop`: a natural end or a stop sequence. `length`: `max_tokens` or the context window was reached. `tool_calls`: the model requests tool calls. `content_filter`: the provider withheld output. Any other value is terminal too.',
  );

/** The charge of a request, in the usage of all formats. */
export const costSchema = z
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

const tokenAlternative = {
  token: z.string(),
  logprob: z.number().describe('-9999 when the token was outside the 20 likeliest.'),
  bytes: z.array(z.int().min(0).max(255)).nullable().describe('Null when the token has no bytes of its own.'),
};

export const tokenLogprobSchema = z.strictObject({
  ...tokenAlternative,
  top_logprobs: z.array(z.strictObject(tokenAlternative)).max(20).optional().describe('Only if requested.'),
});

const toolCallDelta = z.union([
  z
    .strictObject({
      index: z.int().min(0),
      id: z.string().min(1).describe('Send it back as `tool_call_id`.'),
      type: z.literal('function'),
      function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
    })
    .describe('Opens a tool call.'),
  z
    .strictObject({
      index: z.int().min(0),
      function: z.strictObject({ arguments: z.string() }),
    })
    .describe('Continues the arguments of the call with the same `index`.'),
]);

const delta = z.strictObject({
  role: z.literal('assistant').optional().describe('On the first chunk of a choice only.'),
  content: z.string().nullable().optional().describe('The next piece of the text.'),
  reasoning_content: z.string().nullable().optional().describe('The next piece of hidden reasoning, while thinking.'),
  tool_calls: z
    .array(toolCallDelta)
    .min(1)
    .nullable()
    .optional()
    .describe('Pieces of tool calls, to be joined by `index`. Check the arguments before running anything.'),
});

const chatChoice = z
  .strictObject({
    index: choiceIndex,
    delta,
    finish_reason: finishReason,
    logprobs: z
      .strictObject({
        content: z.array(tokenLogprobSchema),
        reasoning_content: z.array(tokenLogprobSchema).nullable().optional(),
      })
      .nullable()
      .describe('Null unless `logprobs` was requested.'),
  })
  .refine((choice) => choice.finish_reason === null || Object.keys(choice.delta).length === 0, {
    error: 'the chunk with the finish_reason has an empty delta',
  });

function chunkSchema<Choice extends z.ZodType>(object: string, model: string, choice: Choice) {
  return z
    .strictObject({
      id: z.string().min(1).describe('Opaque, and the same on every chunk of one answer.'),
      object: z.literal(object),
      created: unixSeconds.describe('When the answer began, in Unix seconds.'),
      model: z.string().min(1).describe(model),
      system_fingerprint: z.null(),
      choices: z.array(choice).describe('Empty on the usage chunk.'),
      usage: usageSchema.nullable().describe('Null until the last chunk.'),
    })
    .refine(({ choices, usage }) => (choices.length === 0) === (usage !== null), {
      error: 'a chunk has either choices or usage',
    });
}

export const chatChunkSchema = chunkSchema(
  'chat.completion.chunk',
  'The catalog id of the model that answered, even if the request had an alias.',
  chatChoice,
);

const completionLogprobs = z.strictObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number()),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).describe('By token, if requested.'),
  text_offset: z.array(z.int().min(0)).describe('Where each token begins in the text of its choice.'),
});

const completionChoice = z
  .strictObject({
    text: z.string().describe('The next piece of the text.'),
    index: choiceIndex,
    logprobs: completionLogprobs.nullable().describe('Null unless `logprobs` was requested.'),
    finish_reason: finishReason,
  })
  .refine((choice) => choice.finish_reason === null || choice.text === '', {
    error: 'the chunk with the finish_reason has an empty text',
  });

export const completionChunkSchema = chunkSchema(
  'text_completion',
  'The catalog id of the model that answered.',
  completionChoice,
);

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

export const errorSchema = z.strictObject({
  error: z
    .strictObject({
      code: z.string().describe('For programs; prefer it, or the status, over `type`. Empty for unparseable bodies.'),
      message: z
        .string()
        .regex(/\(request id: [^()\s]+\)$/)
        .describe('For people; some begin in Chinese. Ends with the request id.'),
      type: z.enum(['authentication_error', 'gateway_error', 'upstream_error']),
      param: z.literal('').optional().describe('Present only if a provider rejected the request, and always empty.'),
    })
    .refine((error) => error.param === undefined || error.type === 'upstream_error', {
      error: 'only an upstream_error has a param',
    }),
});
