import type { ProviderTool } from '../../../core/chat/chat-request.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { isOwnTool } from './tool-schema.ts';

/**
 * The tools of a body that the provider runs. Some tools have a type of the provider but are run by the client; those
 * are left out.
 */
export function messagesProviderTools(body: WireObject): readonly ProviderTool[] {
  const tools = listOf(body.tools).flatMap((tool, at) => {
    if (!isObject(tool) || isOwnTool(tool)) return [];
    const name = (nonEmptyString(tool.type) ?? '').replace(version, '');
    if (runByClients.has(name) || name.startsWith(toolSearch)) return [];
    return { name: name === 'mcp_toolset' ? 'mcp' : name, usesMax: countOf(tool.max_uses), field: `tools[${at}]` };
  });
  const servers = listOf(body.mcp_servers);
  const isNamed = servers.length === 0 || tools.some(({ name }) => name === 'mcp');
  return isNamed ? tools : [...tools, { name: 'mcp', usesMax: undefined, field: 'mcp_servers' }];
}

/** Types end in the date of their version. */
const version = /_\d{8}$/;

const runByClients: ReadonlySet<string> = new Set(['bash', 'computer', 'memory', 'text_editor']);

/**
 * It searches the tools of the same request, so the size of the request bounds its cost. No provider charges for it.
 */
const toolSearch = 'tool_search_tool';

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
