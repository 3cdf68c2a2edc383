import { z } from 'zod';
import {
  alsoMeets,
  between,
  booleanField,
  integerBetween,
  must,
  objectField,
  stringField as text,
  listSchema,
} from '../../field-rules.ts';

const countMax = 2 ** 31 - 1;
const count = integerBetween(0, countMax);
const cap = z.int(must(`be an integer between 0 and ${countMax}`)).pipe(count);
const blocksRule = must('be a string or a list of content blocks');
const systemRule = must('be a string or a list of text blocks');

const mediaFields = z.looseObject({ source: objectField({ type: text }) });

/** The required fields of the known blocks. Other blocks are passed to the provider unchecked. */
const fieldsByType: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['text', z.looseObject({ text })],
  ['image', mediaFields],
  ['document', mediaFields],
  ['thinking', z.looseObject({ thinking: text, signature: text.nullish() })],
  ['redacted_thinking', z.looseObject({ data: text })],
  ['tool_use', z.looseObject({ id: text, name: text })],
  ['tool_result', z.lazy(() => toolResultFields)],
]);
const blockSchema = objectField({ type: text }).check(alsoMeets(({ type }) => fieldsByType.get(type)));
const contentSchema = z.union([z.string(), listSchema(blockSchema, blocksRule)], blocksRule);
const toolResultFields = z.looseObject({
  tool_use_id: text,
  content: contentSchema.nullish(),
  is_error: booleanField.nullish(),
});

const textBlockSchema = z.looseObject({ type: z.literal('text', must('be text')), text }, must('be a text block'));

const ownToolFields = z.looseObject({
  name: text.min(1, 'must not be empty'),
  description: text.nullish(),
  input_schema: objectField({}),
  strict: booleanField.nullish(),
});

/** Tools with another type belong to the provider and are not checked. */
const toolSchema = objectField({ type: text.nullish() }).check(
  alsoMeets((tool) => (isOwnTool(tool) ? ownToolFields : undefined)),
);

/** Whether the client runs the tool, not the provider. */
export function isOwnTool(tool: { readonly type?: unknown }): boolean {
  return (tool.type ?? 'custom') === 'custom';
}

/** The provider validates unknown types. */
const toolChoiceSchema = objectField({
  type: text,
  name: text.nullish(),
  disable_parallel_tool_use: booleanField.nullish(),
}).refine((choice) => choice.type !== 'tool' || typeof choice.name === 'string', {
  error: 'is required and must be a string',
  path: ['name'],
});

const messageSchema = objectField({
  role: z.enum(['user', 'assistant', 'system'], must('be one of user, assistant and system')),
  content: contentSchema.describe('A string, or content blocks in order.'),
});

/** The body of POST /v1/messages/count_tokens: a request without a cap. Unlisted fields are allowed and kept. */
export const countTokensSchema = z.looseObject(
  {
    model: text.describe('A model id or alias from GET /v1/models.'),
    messages: listSchema(messageSchema, must('be a list of messages'))
      .min(1, 'must hold at least one message')
      .describe('The conversation, oldest message first.'),
    system: z
      .union([z.string(), listSchema(textBlockSchema, systemRule)], systemRule)
      .nullish()
      .describe('Sets model behavior: a string, or text blocks.'),
    max_tokens: count.nullish().describe('Hard cap on generated tokens.'),
    stop_sequences: listSchema(text, must('be a list of strings'))
      .nullish()
      .describe('Generation stops when one of them is produced.'),
    temperature: between(0, 1).nullish().describe('Sampling temperature, 0 to 1, default 1.'),
    top_p: between(0, 1).nullish().describe('Nucleus-sampling threshold, 0 to 1.'),
    top_k: count.nullish().describe('Samples only from this many of the likeliest tokens.'),
    stream: booleanField.nullish().describe('Whether to stream the answer as server-sent events.'),
    metadata: objectField({ user_id: text.nullish() })
      .nullish()
      .describe('`user_id` is an opaque label of the end user.'),
    thinking: objectField({ type: text, budget_tokens: integerBetween(1, countMax).nullish() })
      .nullish()
      .describe(
        'Whether the model reasons before it answers: `enabled` with `budget_tokens`, `adaptive` or `disabled`.',
      ),
    output_config: objectField({ effort: text.nullish(), format: objectField({ type: text }).nullish() })
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
export type MessagesWireTool = z.output<typeof toolSchema>;
export type MessagesWireToolChoice = z.output<typeof toolChoiceSchema>;
export type WireContent = z.output<typeof contentSchema>;
