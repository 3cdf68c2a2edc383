import { z } from 'zod';
import { costSchema } from './schemas.ts';

// The answers of the responses endpoint. Additional fields of providers are passed on.

const tokens = z.int().min(0);

const usageSchema = z.looseObject({
  input_tokens: tokens.describe('All input, cached input included.'),
  input_tokens_details: z.looseObject({ cached_tokens: tokens }),
  output_tokens: tokens.describe('Output, reasoning included.'),
  output_tokens_details: z.looseObject({ reasoning_tokens: tokens }),
  total_tokens: tokens,
  cost: costSchema,
});

const itemSchema = z
  .looseObject({ type: z.string() })
  .describe(
    'A piece of the answer: `reasoning`, `message`, `function_call`, `custom_tool_call` or a type of the provider.',
  );

/** A complete answer. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.string().describe('`queued`, `in_progress`, `completed`, `incomplete` or `failed`.'),
  model: z.string(),
  output: z.array(itemSchema),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z
    .looseObject({ reason: z.string() })
    .nullable()
    .describe('Why an incomplete answer ended: `max_output_tokens` or `content_filter`.'),
  usage: usageSchema.nullable(),
});

/** The data of one event of a streamed answer. */
export const responseEventSchema = z
  .looseObject({ type: z.string(), sequence_number: z.int() })
  .describe(
    '`response.created`, while it waits `response.queued`, then `response.in_progress`; for each item `response.output_item.added`, its parts and deltas, and `response.output_item.done`; at the end `response.completed`, `response.incomplete` or, after `error`, `response.failed`.',
  );
