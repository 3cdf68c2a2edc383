import { z } from 'zod';
import { must } from '../../field-rules.ts';

const text = z.string(must('be a string'));

/** The required fields of a tool that the client runs. */
const ownToolFields = z.looseObject({
  name: text.min(1, 'must not be empty'),
  description: text.nullish(),
  input_schema: z.looseObject({}, must('be an object')),
  strict: z.boolean(must('be a boolean')).nullish(),
});

/** One element of `tools`. Tools with another type belong to the provider and are not checked. */
export const toolSchema = z.looseObject({ type: text.nullish() }, must('be an object')).check((context) => {
  if (!isOwnTool(context.value)) return;
  const issues = ownToolFields.safeParse(context.value).error?.issues ?? [];
  for (const { message, path } of issues) {
    context.issues.push({ code: 'custom', input: context.value, message, path: [...path] });
  }
});

/** Whether the client runs the tool, not the provider. */
export function isOwnTool(tool: { readonly type?: unknown }): boolean {
  return (tool.type ?? 'custom') === 'custom';
}

const parallel = z.boolean(must('be a boolean')).nullish();

/** Which tool the model may or must use. The provider validates unknown types. */
export const toolChoiceSchema = z
  .looseObject({ type: text, name: text.nullish(), disable_parallel_tool_use: parallel }, must('be an object'))
  .refine((choice) => choice.type !== 'tool' || typeof choice.name === 'string', {
    error: 'is required and must be a string',
    path: ['name'],
  });

export type MessagesWireTool = z.output<typeof toolSchema>;
export type MessagesWireToolChoice = z.output<typeof toolChoiceSchema>;
