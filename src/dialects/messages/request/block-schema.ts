import { z } from 'zod';
import { must } from '../../field-rules.ts';
import { listSchema } from '../../list-schema.ts';

const text = z.string(must('be a string'));
const blocksRule = must('be a string or a list of content blocks');

const source = z.looseObject({ type: text }, must('be an object'));

/** The required fields of the known blocks. Other blocks are passed to the provider unchecked. */
const fieldsByType: Readonly<Record<string, () => z.ZodType>> = {
  text: () => textFields,
  image: () => mediaFields,
  document: () => mediaFields,
  thinking: () => thinkingFields,
  redacted_thinking: () => redactedFields,
  tool_use: () => toolUseFields,
  tool_result: () => toolResultFields,
};

/** One content block: an object with a `type`, and the fields of that type. */
const blockSchema = z.looseObject({ type: text }, must('be an object')).check((context) => {
  const { type } = context.value;
  const fields = Object.hasOwn(fieldsByType, type) ? fieldsByType[type]?.() : undefined;
  const issues = fields?.safeParse(context.value).error?.issues ?? [];
  for (const { message, path } of issues) {
    context.issues.push({ code: 'custom', input: context.value, message, path: [...path] });
  }
});

/** The content of a message: a string, or blocks in order. */
export const contentSchema = z.union([z.string(), listSchema(blockSchema, blocksRule)], blocksRule);

export const textBlockSchema = z.looseObject(
  { type: z.literal('text', must('be text')), text },
  must('be a text block'),
);

const textFields = z.looseObject({ text });
const mediaFields = z.looseObject({ source });
const thinkingFields = z.looseObject({ thinking: text, signature: text.nullish() });
const redactedFields = z.looseObject({ data: text });
const toolUseFields = z.looseObject({ id: text, name: text });
const toolResultFields = z.looseObject({
  tool_use_id: text,
  content: contentSchema.nullish(),
  is_error: z.boolean(must('be a boolean')).nullish(),
});

export type WireContent = z.output<typeof contentSchema>;
