import { z } from 'zod';
import { must, objectField, stringField, listSchema } from '../../field-rules.ts';
import { isObject } from '../../wire-value.ts';

const name = stringField.nullish().describe('Labels the participant.');

const contentPart = objectField({ type: stringField, text: stringField.optional() });

const contentRule = must('be a string or a list of content parts');

const content = z.union([z.string(), listSchema(contentPart, contentRule)], contentRule);

const toolCall = objectField({
  id: stringField,
  type: z.literal('function', must('be function')).nullish(),
  function: objectField({ name: stringField, arguments: stringField.describe('JSON-encoded arguments.') }),
});

const instruction = z.looseObject({
  role: z.enum(['system', 'developer']).describe('`developer` means the same as `system`.'),
  content: content.describe('Sets model behavior.'),
  name,
});

const user = z.looseObject({ role: z.literal('user'), content: content.describe('End-user input.'), name });

const assistant = z
  .looseObject({
    role: z.literal('assistant'),
    content: content.nullish().describe('Earlier model output, or null. Optional with `tool_calls`.'),
    name,
    tool_calls: listSchema(toolCall, must('be a list of tool calls')).nullish().describe('Tool calls the model made.'),
  })
  .refine((message) => message.content !== undefined || (message.tool_calls?.length ?? 0) > 0, {
    error: 'is required: a string, or null',
    path: ['content'],
  });

const tool = z.looseObject({
  role: z.literal('tool'),
  content: content.nullable().describe('The result of the tool call; `null` means an empty result.'),
  tool_call_id: stringField.describe('The `id` of the tool call being answered.'),
  name,
});

export const messageSchema = z.discriminatedUnion('role', [instruction, user, assistant, tool], {
  error: (issue) => (isObject(issue.input) ? 'must be one of system, user, assistant and tool' : 'must be an object'),
});

export type WireMessage = z.output<typeof messageSchema>;

/** A fast check for the usual message: one text, no tool calls. Never accepts what the schema rejects. */
export function isTextMessage(value: unknown): value is WireMessage {
  if (!isObject(value) || typeof value.content !== 'string') return false;
  if (value.name !== undefined && typeof value.name !== 'string') return false;
  return textRoles.has(value.role) && value.tool_calls === undefined;
}

const textRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
