import { z } from 'zod';
import { costSchema } from './schemas.ts';

// The answers of the messages endpoints. Additional fields of providers are passed on.

const tokens = z.int().min(0);

const usageSchema = z.looseObject({
  input_tokens: tokens.describe('Input that was neither read from nor written to a prompt cache.'),
  output_tokens: tokens.describe('Output, thinking included.'),
  cache_read_input_tokens: tokens.nullish().describe('Input read from a prompt cache.'),
  cache_creation_input_tokens: tokens.nullish().describe('Input written to a prompt cache.'),
  cost: costSchema,
});

const blockSchema = z
  .looseObject({ type: z.string() })
  .describe('A piece of the answer: `text`, `thinking`, `redacted_thinking`, `tool_use` or a type of the provider.');

export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(blockSchema),
  stop_reason: z
    .string()
    .nullable()
    .describe('`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal` or a value of the provider.'),
  stop_sequence: z.string().nullable().describe('Which of `stop_sequences` was hit, if the provider reports it.'),
  usage: usageSchema,
});

export const messageEventSchema = z
  .looseObject({ type: z.string() })
  .describe(
    '`message_start`, then for each block `content_block_start`, `content_block_delta` and `content_block_stop`, then `message_delta` and `message_stop`; any number of `ping`.',
  );

export const tokenCountSchema = z.strictObject({ input_tokens: tokens });

export const messagesModelSchema = z.strictObject({
  type: z.literal('model'),
  id: z.string().describe('The value of `model` in a request.'),
  display_name: z.string(),
  created_at: z.string().describe('The same placeholder for every model.'),
  max_input_tokens: z.int().nullable().describe('The context window, if the catalog has it.'),
  max_tokens: z.int().nullable().describe('The maximum of `max_tokens`, if the catalog has it.'),
  capabilities: z.null().describe('Always null.'),
  lifecycle: z.literal('active').describe('Every listed model can be used.'),
  line: z.null(),
  deprecated_at: z.null(),
  retires_at: z.null(),
});

export const messagesModelListSchema = z.strictObject({
  data: z.array(messagesModelSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

export const messagesErrorSchema = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    code: z.string().describe('For programs; sometimes empty.'),
    type: z.enum(['authentication_error', 'gateway_error', 'upstream_error']),
    message: z.string().describe('For people; ends with the request id.'),
    param: z.literal('').optional(),
    details: z
      .strictObject({ error_code: z.string(), unsupported: z.array(z.string()).optional() })
      .optional()
      .describe('Hints for automatic handling by client libraries.'),
  }),
  request_id: z.string(),
});
