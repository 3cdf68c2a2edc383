import { z } from 'zod';
import type { ChatRequest, ProviderTool } from '../../chat/chat-request.ts';
import { efforts } from '../../effort.ts';
import { integerFrom, objectOf, isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import {
  between,
  booleanField,
  integerBetween,
  must,
  objectField,
  stringField,
  listSchema,
} from '../../field-rules.ts';

const stopMax = 16;
const stopRule = must(`be a string or a list of up to ${stopMax} strings`);

/** Fields that have the same meaning on the chat and legacy completions endpoints. Each of them may be `null`. */
export const requestFields = {
  model: stringField.describe('A model id or alias from GET /v1/models.'),
  max_tokens: integerBetween(1, 2 ** 31 - 1)
    .nullish()
    .describe('Hard cap on generated tokens.'),
  temperature: between(0, 2)
    .nullish()
    .describe('Sampling temperature, 0 to 2, default 1. Adjust this or `top_p`, not both.'),
  top_p: between(0, 1).nullish().describe('Nucleus-sampling threshold, 0 to 1, default 1.'),
  stop: z
    .union([z.string(), listSchema(stringField, stopRule, { lengthMax: stopMax })], stopRule)
    .nullish()
    .describe('Up to 16 sequences. Generation stops when one is produced; it is not part of the output.'),
  stream: booleanField
    .nullish()
    .describe('Accepted without effect: the answer is always a stream. Sending `true` is recommended.'),
  stream_options: objectField({ include_usage: booleanField.nullish() })
    .nullish()
    .describe(
      'Meaningful only with `stream: true`. The last chunk has the usage, whatever the value of `include_usage`.',
    ),
  n: integerBetween(1, 128).nullish().describe('How many answers to produce, default 1.'),
  user_id: stringField
    .max(512, 'must be at most 512 characters long')
    .regex(/^[A-Za-z0-9_-]*$/, 'must consist of letters, digits, _ and -')
    .nullish()
    .describe('Opaque label of the end user, for attribution and abuse detection. No personal data.'),
  thinking: objectField({ type: z.enum(['enabled', 'disabled'], must('be enabled or disabled')).nullish() })
    .nullish()
    .describe('Whether the model reasons before it answers. Default `enabled`. Not all models support it.'),
  reasoning_effort: z
    .enum(
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      must('be none, minimal, low, medium, high, xhigh or max'),
    )
    .nullish()
    .describe(
      'Default `high`. `minimal`, `low` and `medium` are read as `high`, `xhigh` as `max`; `none` disables thinking.',
    ),
  frequency_penalty: z.unknown().optional().describe('Accepted and ignored.'),
  presence_penalty: z.unknown().optional().describe('Accepted and ignored.'),
};

type WireFields = z.output<z.ZodObject<typeof requestFields, z.core.$loose>>;

export function decodeRequestFields(wire: WireFields) {
  return {
    model: wire.model,
    stop: decodeStop(wire.stop),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    // Fields that the contract does not list are not validated; an invalid value is ignored.
    topK: integerFrom(1, wire['top_k']),
    ...decodeThinking(wire),
    userId: wire.user_id ?? undefined,
    // In this format a missing `stream` means one JSON body: client libraries leave it out for that.
    wantsStream: wire.stream === true,
    providerTools: chatProviderTools(wire),
  } satisfies Partial<ChatRequest>;
}

/** An empty stop sequence would end every answer at once, so it is ignored. */
function decodeStop(stop: WireFields['stop']): readonly string[] {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  return sequences.filter((sequence) => sequence !== '');
}

/** Two fields of the contract, and an object that several providers support. The contract's take precedence. */
function decodeThinking(wire: WireFields): Pick<ChatRequest, 'thinking' | 'thinkingBudget' | 'effort'> {
  const reasoning = objectOf(wire['reasoning']);
  const effort = wire.reasoning_effort ?? reasoning?.effort;
  const budget = integerFrom(1, wire.thinking?.['budget_tokens']) ?? integerFrom(1, reasoning?.max_tokens);
  const isOff = effort === 'none' || reasoning?.enabled === false;
  const isOn = reasoning?.enabled === true || (reasoning !== undefined && budget !== undefined);
  const setting = wire.thinking ? (wire.thinking.type ?? 'enabled') : undefined;
  return {
    thinking: setting ?? (isOff ? 'disabled' : isOn ? 'enabled' : undefined),
    thinkingBudget: budget,
    effort: efforts.get(effort),
  };
}

/** The contract has no tools that the provider runs; providers of this format have these fields for them. */
function chatProviderTools(body: WireObject): readonly ProviderTool[] {
  const tools: ProviderTool[] = [];
  addSearches(body, tools);
  addPlugins(body, tools);
  if (body.enable_search === true) tools.push(tool('web_search', 'enable_search'));
  if (body.enable_code_interpreter === true) tools.push(tool('code_execution', 'enable_code_interpreter'));
  return tools;
}

function addSearches(body: WireObject, tools: ProviderTool[]): void {
  if (isObject(body.web_search_options)) tools.push(tool('web_search', 'web_search_options'));
  const parameters = objectOf(body.search_parameters);
  if (parameters && parameters.mode !== 'off') {
    tools.push({ ...tool('web_search', 'search_parameters'), usesMax: integerFrom(0, parameters.max_search_results) });
  }
  const search = objectOf(body.web_search);
  if (body.web_search === true || search?.enable === true) tools.push(tool('web_search', 'web_search'));
}

function addPlugins(body: WireObject, tools: ProviderTool[]): void {
  listOf(body.plugins).forEach((plugin, at) => {
    const id = isObject(plugin) ? nonEmptyString(plugin.id) : undefined;
    if (id !== undefined) tools.push(tool(id === 'web' ? 'web_search' : id, `plugins[${at}]`));
  });
}

function tool(name: string, field: string): ProviderTool {
  return { name, usesMax: undefined, field };
}
