import type { ProviderTool } from '../../../core/chat/chat-request.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/**
 * The tools that a body requests its provider to run. The contract has no such tools; providers of this format have
 * these fields for them.
 */
export function chatProviderTools(body: WireObject): readonly ProviderTool[] {
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
    tools.push({ ...tool('web_search', 'search_parameters'), usesMax: countOf(parameters.max_search_results) });
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

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
