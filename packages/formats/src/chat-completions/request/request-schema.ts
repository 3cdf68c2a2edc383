import { z } from 'zod';
import { booleanField, integerBetween, must, objectField, stringField, listSchema } from '../../field-rules.ts';
import { isObject } from '../../wire-value.ts';
import { isTextMessage, messageSchema } from './message-schema.ts';
import { requestFields } from './request-fields.ts';

const toolSchema = objectField({
  type: z.literal('function', must('be function')),
  function: objectField({
    name: stringField
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .describe('Letters, digits, `_` and `-`; at most 64 characters.'),
    description: stringField.nullish().describe('Helps the model decide when to call the function.'),
    parameters: objectField({})
      .nullish()
      .describe('JSON Schema of the arguments. Left out for a function without arguments.'),
    strict: booleanField.nullish().describe('Enforces the schema on the arguments. Default false. Beta.'),
  }),
});

/** Which function the model may or must call. The request decoder checks that the named function is in `tools`. */
const toolChoiceSchema = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  ],
  must('be none, auto, required or an object that names a function'),
);

export type WireTool = z.output<typeof toolSchema>;
export type WireToolChoice = z.output<typeof toolChoiceSchema>;

/** The body of POST /v1/chat/completions. Fields that the contract does not list are allowed and kept. */
export const chatRequestSchema = z.looseObject(
  {
    ...requestFields,
    messages: listSchema(messageSchema, must('be a list of messages'), { isKnownValid: isTextMessage })
      .min(1, 'must hold at least one message')
      .describe('The conversation, oldest message first.'),
    max_completion_tokens: integerBetween(1, 2 ** 31 - 1)
      .nullish()
      .describe('Read as `max_tokens` when that is absent.'),
    response_format: objectField({
      type: z.enum(['text', 'json_object', 'json_schema'], must('be text, json_object or json_schema')),
    })
      .nullish()
      .describe('With `json_object` the conversation must also instruct the model to produce JSON.'),
    tools: listSchema(toolSchema, must('be a list of tools'), { lengthMax: 128 })
      .nullish()
      .describe('Functions the model may call; at most 128.'),
    tool_choice: toolChoiceSchema.nullish().describe('Default `auto` with tools and `none` without.'),
    logprobs: booleanField.nullish().describe('Fills `choices[].logprobs`.'),
    top_logprobs: integerBetween(0, 20)
      .nullish()
      .describe('Alternatives for each token, 0 to 20. Requires `logprobs: true`.'),
  },
  must('be a JSON object'),
);

export type WireChatRequest = z.output<typeof chatRequestSchema>;

/** A fast check, as the schema takes longer than all else. Never accepts what the schema would reject or change. */
export function isUsualRequest(value: unknown): value is WireChatRequest {
  if (!isObject(value) || value.model === undefined || value.messages === undefined) return false;
  for (const name of Object.keys(value)) {
    const isUsual = usualFields.get(name);
    if (isUsual ? !isUsual(value[name]) : Object.hasOwn(chatRequestSchema.shape, name)) return false;
  }
  return true;
}

/** The checks for the usual values of most requests' fields. Other listed fields are left to the schema. */
const usualFields = new Map<string, (value: unknown) => boolean>([
  ['model', (value) => typeof value === 'string'],
  ['messages', (value) => Array.isArray(value) && value.length > 0 && value.every(isTextMessage)],
  ['max_tokens', (value) => Number.isInteger(value) && isBetween(value, 1, 2 ** 31 - 1)],
  ['temperature', (value) => isBetween(value, 0, 2)],
  ['top_p', (value) => isBetween(value, 0, 1)],
  ['stream', (value) => typeof value === 'boolean'],
  ['stream_options', (value) => isObject(value) && typeof value.include_usage === 'boolean'],
  // The schema removes a field with this name.
  ['__proto__', () => false],
]);

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
