import type { ProviderTool } from '../../core/chat-request.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';

/**
 * What a body asks its provider to run. The contract has no such tools; these are the fields by which the providers of
 * this format are asked for theirs.
 */
export function chatProviderTools(body: WireObject): readonly ProviderTool[] {
  return [...searches(body), ...plugins(body), ...switches(body)];
}

function* searches(body: WireObject): Generator<ProviderTool> {
  if (isObject(body.web_search_options)) yield tool('web_search', 'web_search_options');
  const parameters = objectOf(body.search_parameters);
  if (parameters && parameters.mode !== 'off') {
    yield { ...tool('web_search', 'search_parameters'), usesMax: countOf(parameters.max_search_results) };
  }
  const wanted = objectOf(body.web_search);
  if (body.web_search === true || wanted?.enable === true) yield tool('web_search', 'web_search');
}

function* plugins(body: WireObject): Generator<ProviderTool> {
  for (const [at, plugin] of listOf(body.plugins).entries()) {
    const id = isObject(plugin) ? wordOf(plugin.id) : undefined;
    if (id !== undefined) yield tool(id === 'web' ? 'web_search' : id, `plugins[${at}]`);
  }
}

function* switches(body: WireObject): Generator<ProviderTool> {
  if (body.enable_search === true) yield tool('web_search', 'enable_search');
  if (body.enable_code_interpreter === true) yield tool('code_execution', 'enable_code_interpreter');
}

function tool(name: string, field: string): ProviderTool {
  return { name, usesMax: undefined, field };
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
