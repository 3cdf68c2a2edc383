import { z } from 'zod';
import { between, integerBetween, must } from '../../field-rules.ts';
import { listSchema } from '../../list-schema.ts';
import { contentSchema, textBlockSchema } from './block-schema.ts';
import { toolChoiceSchema, toolSchema } from './tool-schema.ts';

const countMax = 2 ** 31 - 1;
const count = integerBetween(0, countMax);
const cap = z.int(must(`be an integer between 0 and ${countMax}`)).pipe(count);
const systemRule = must('be a string or a list of text blocks');

const messageSchema = z.looseObject(
  {
    role: z.enum(['user', 'assistant', 'system'], must('be one of user, assistant and system')),
    content: contentSchema.describe('A string, or content blocks in order.'),
  },
  must('be an object'),
);

/** The body of POST /v1/messages/count_tokens: a request without a cap. Unlisted fields are allowed and kept. */
export const countTokensSchema = z.looseObject(
  {
    model: z.string(must('be a string')).describe('A model id or alias from GET /v1/models.'),
    messages: listSchema(messageSchema, must('be a list of messages'))
      .min(1, 'must hold at least one message')
      .describe('The conversation, oldest message first.'),
    system: z
      .union([z.string(), listSchema(textBlockSchema, systemRule)], systemRule)
      .nullish()
      .describe('Sets model behavior: a string, or text blocks.'),
    max_tokens: count.nullish().describe('Hard cap on generated tokens.'),
    stop_sequences: listSchema(z.string(must('be a string')), must('be a list of strings'))
      .nullish()
      .describe('Generation stops when one of them is produced.'),
    temperature: between(0, 1).nullish().describe('Sampling temperature, 0 to 1, default 1.'),
    top_p: between(0, 1).nullish().describe('Nucleus-sampling threshold, 0 to 1.'),
    top_k: count.nullish().describe('Samples only from this many of the likeliest tokens.'),
    stream: z.boolean(must('be a boolean')).nullish().describe('Whether to stream the answer as server-sent events.'),
    metadata: z
      .looseObject({ user_id: z.string(must('be a string')).nullish() }, must('be an object'))
      .nullish()
      .describe('`user_id` is an opaque label of the end user.'),
    thinking: z
      .looseObject(
        { type: z.string(must('be a string')), budget_tokens: integerBetween(1, countMax).nullish() },
        must('be an object'),
      )
      .nullish()
      .describe(
        'Whether the model reasons before it answers: `enabled` with `budget_tokens`, `adaptive` or `disabled`.',
      ),
    output_config: z
      .looseObject(
        {
          effort: z.string(must('be a string')).nullish(),
          format: z.looseObject({ type: z.string(must('be a string')) }, must('be an object')).nullish(),
        },
        must('be an object'),
      )
      .nullish()
      .describe('`effort` (low, medium, high, xhigh, max) and `format` (a JSON schema for the answer).'),
    tools: listSchema(toolSchema, must('be a list of tools')).nullish().describe('Tools the model may use.'),
    tool_choice: toolChoiceSchema.nullish().describe('`auto`, `any`, `tool` with a `name`, or `none`.'),
  },
  must('be a JSON object'),
);

/** The body of POST /v1/messages. `max_tokens: 0` is allowed: it fills the provider's cache without an answer. */
export const messagesRequestSchema = countTokensSchema.extend({
  max_tokens: cap.describe('Hard cap on generated tokens.'),
});

export type WireMessagesRequest = z.output<typeof countTokensSchema>;
export type MessagesWireMessage = z.output<typeof messageSchema>;
