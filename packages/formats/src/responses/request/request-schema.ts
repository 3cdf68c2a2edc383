import { z } from 'zod';
import {
  between,
  booleanField,
  integerBetween,
  must,
  objectField,
  stringField as text,
  listSchema,
} from '../../field-rules.ts';
import type { FieldPath } from '../../invalid-request.ts';
import { isObject, listOf, nonEmptyString } from '../../wire-value.ts';

const countMax = 2 ** 31 - 1;
const inputRule = must('be a string or a list of items');

/** Limit on tools. Every tool is processed on each request. */
const toolsMax = 1024;
const pairsMax = 16;

const roles = ['user', 'assistant', 'system', 'developer'];

/** One item of the input. Unknown items and fields pass unchanged. */
const itemSchema = objectField({ type: text.nullish() }).check((context) => {
  const item = context.value;
  const isMessage = item.type === 'message' || (item.type === undefined && item['role'] !== undefined);
  const isNameless = item.type === 'function_call' && nonEmptyString(item['name']) === undefined;
  const rule: Flaw = isNameless ? [['name'], 'must be a string'] : isMessage ? messageFlaw(item) : undefined;
  if (rule) context.issues.push({ code: 'custom', input: item, message: rule[1], path: [...rule[0]] });
});

type Flaw = readonly [path: FieldPath, rule: string] | undefined;

function messageFlaw({ role, content }: Readonly<Record<string, unknown>>): Flaw {
  if (!roles.includes(String(role))) return [['role'], `must be ${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`];
  const isContent = typeof content === 'string' || Array.isArray(content) || content === null || content === undefined;
  if (!isContent) return [['content'], 'must be a string or a list of parts'];
  const at = listOf(content).findIndex((part) => !isObject(part) || typeof part.type !== 'string');
  return at < 0 ? undefined : [['content', at], 'must be an object with a type'];
}

const toolSchema = objectField({ type: text }).check((context) => {
  const { type, name } = context.value as { type: string; name?: unknown };
  const isNamed = type !== 'function' && type !== 'custom' && type !== 'namespace';
  if (isNamed || nonEmptyString(name) !== undefined) return;
  context.issues.push({ code: 'custom', input: name, message: 'is required and must be a string', path: ['name'] });
});

/** The body of POST /v1/responses. Unlisted fields are allowed and kept if the provider uses the same format. */
export const responsesRequestSchema = z.looseObject(
  {
    model: text.describe('A model id or alias from GET /v1/models.'),
    input: z
      .union([z.string(), listSchema(itemSchema, inputRule)], inputRule)
      .nullish()
      .describe('The input: a string from the user, or items of the conversation, oldest first.'),
    instructions: text.nullish().describe('Sets model behavior. Not inherited from an earlier response.'),
    stream: booleanField.nullish().describe('Whether the answer is streamed as events.'),
    tools: listSchema(toolSchema, must('be a list of tools'), { lengthMax: toolsMax })
      .nullish()
      .describe(
        'Tools that the model may call: `function`, `custom` and `namespace`. Tools that the provider would run are left out unless they have a price here.',
      ),
    tool_choice: z
      .union([z.string(), z.looseObject({ type: text })], must('be a string or an object with a type'))
      .nullish()
      .describe(
        '`auto`, `none`, `required`, one `function` or `custom` tool by its `name`, `allowed_tools`, or a tool the provider runs by its `type`.',
      ),
    parallel_tool_calls: booleanField
      .nullish()
      .describe('Whether the model may call several tools at once. Default: true.'),
    max_output_tokens: integerBetween(1, countMax)
      .nullish()
      .describe('Hard cap on generated tokens, reasoning included.'),
    temperature: between(0, 2).nullish().describe('Sampling temperature, 0 to 2, default 1.'),
    top_p: between(0, 1).nullish().describe('Nucleus-sampling threshold, 0 to 1, default 1.'),
    top_logprobs: integerBetween(0, 20).nullish().describe('Alternatives for each token of the text, 0 to 20.'),
    text: objectField({
      format: z.looseObject({ type: text }, must('be an object with a type')).nullish(),
      verbosity: text.nullish(),
    })
      .nullish()
      .describe('`format` is `text`, `json_object` or `json_schema` with `name` and `schema`; `verbosity` is a hint.'),
    reasoning: objectField({ effort: text.nullish(), summary: text.nullish() })
      .nullish()
      .describe('`effort` from `none` to `max`; below `high` it is read as `high`, `xhigh` as `max`.'),
    include: listSchema(text, must('be a list of strings'))
      .nullish()
      .describe('Additional output to return: `reasoning.encrypted_content`, `message.output_text.logprobs`.'),
    store: booleanField
      .nullish()
      .describe('Whether the response is stored so that later requests can refer to it. Default: true.'),
    previous_response_id: text.nullish().describe('Id of the earlier response that this request continues.'),
    metadata: z
      .record(z.string(), text, must('be an object of strings'))
      .refine((pairs) => Object.keys(pairs).length <= pairsMax, `must hold at most ${pairsMax} pairs`)
      .nullish()
      .describe('Up to 16 pairs of strings, repeated in the response.'),
    safety_identifier: text.nullish().describe('Opaque label of the end user.'),
  },
  must('be a JSON object'),
);

export type WireResponsesRequest = z.output<typeof responsesRequestSchema>;
