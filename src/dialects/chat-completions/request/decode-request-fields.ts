import type { z } from 'zod';
import type { ChatRequest, ProviderTool } from '../../../core/chat/chat-request.ts';
import { efforts } from '../../effort.ts';
import { integerFrom, objectOf, isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import type { requestFields } from './request-fields.ts';

type WireFields = z.output<z.ZodObject<typeof requestFields, z.core.$loose>>;

/** The fields that are the same on both endpoints. */
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
