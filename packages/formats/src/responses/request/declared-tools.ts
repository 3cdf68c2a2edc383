import type { Tool } from '../../chat/chat-request.ts';
import { cacheOf } from '../../cache-control.ts';
import type { FieldPath } from '../../invalid-request.ts';
import { objectOf, type WireObject, nonEmptyString, objectEntries } from '../../wire-value.ts';
import { ToolNames } from '../../tool-names.ts';

export interface DeclaredTools {
  readonly tools: readonly Tool[];
  readonly names: ToolNames;
  /** Tools that the provider would have to run, with their field and type. */
  readonly leftOut: readonly { readonly path: FieldPath; readonly type: string }[];
}

interface ToolDeclarations {
  readonly tool: WireObject;
  readonly namespace: WireObject | undefined;
  readonly path: FieldPath;
}

/** Reads the tools in `tools`, in namespaces there, and in items that add tools in the middle of a conversation. */
export function declaredTools(body: WireObject): DeclaredTools {
  const names = new ToolNames();
  const tools = new Map<string, Tool>();
  const leftOut: { path: FieldPath; type: string }[] = [];
  const declarations = [...toolsIn(body)];
  // Tools outside namespaces come first, so that they keep their own names.
  const ordered = [
    ...declarations.filter(({ namespace }) => !namespace),
    ...declarations.filter(({ namespace }) => namespace),
  ];
  for (const each of ordered) {
    const decoded = decodeTool(each, names);
    if (!decoded) leftOut.push({ path: each.path, type: nonEmptyString(each.tool.type) ?? 'unknown' });
    else if (!tools.has(decoded.name)) tools.set(decoded.name, decoded);
  }
  return { tools: [...tools.values()], names, leftOut };
}

function* toolsIn(body: WireObject): Generator<ToolDeclarations> {
  yield* toolsInList(body.tools, ['tools']);
  for (const [at, item] of objectEntries(body.input)) {
    if (toolItemTypes.has(item.type)) yield* toolsInList(item.tools, ['input', at, 'tools']);
  }
}

/** Items that add tools in the middle of a conversation. */
export const toolItemTypes: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

/** Namespaces are not nested. */
function* toolsInList(list: unknown, path: FieldPath, namespace?: WireObject): Generator<ToolDeclarations> {
  for (const [at, tool] of objectEntries(list)) {
    if (tool.type !== 'namespace' || namespace) yield { tool, namespace, path: [...path, at] };
    else yield* toolsInList(tool.tools, [...path, at, 'tools'], tool);
  }
}

function decodeTool({ tool, namespace: outer }: ToolDeclarations, names: ToolNames): Tool | undefined {
  const namespace = nonEmptyString(outer?.name);
  const name = nonEmptyString(tool.name) ?? '';
  switch (tool.type) {
    case 'function':
      return {
        name: names.wireName({ namespace, name, kind: 'function' }),
        description: descriptionOf(tool, outer),
        parameters: schemaOf(tool.parameters),
        ...(tool.strict === true && { strict: true }),
        ...cacheOf(tool),
      };
    case 'custom':
      return {
        name: names.wireName({ namespace, name, kind: 'custom' }),
        description: [descriptionOf(tool, outer), grammarOf(tool.format)].filter(Boolean).join('\n\n') || undefined,
        parameters: customParameters,
        ...cacheOf(tool),
      };
    case 'tool_search':
      if (tool.execution !== 'client') return undefined;
      return {
        name: names.wireName({ namespace: undefined, name: toolSearch, kind: 'tool-search' }),
        description: nonEmptyString(tool.description),
        parameters: schemaOf(tool.parameters),
      };
    default:
      return undefined;
  }
}

export const toolSearch = 'tool_search';

function descriptionOf(tool: WireObject, outer: WireObject | undefined): string | undefined {
  return (
    [nonEmptyString(outer?.description), nonEmptyString(tool.description)].filter(Boolean).join('\n\n') || undefined
  );
}

/** Adds `type: object` to a schema without a type, because providers require it. */
function schemaOf(parameters: unknown): WireObject | undefined {
  const schema = objectOf(parameters);
  return schema && !Object.hasOwn(schema, 'type') ? { type: 'object', properties: {}, ...schema } : schema;
}

/** The text of a custom tool is sent as the only argument of a function. */
const customParameters: WireObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

function grammarOf(format: unknown): string | undefined {
  const wire = objectOf(format);
  const definition = nonEmptyString(wire?.definition);
  if (wire?.type !== 'grammar' || definition === undefined) return undefined;
  return `The input must follow this ${nonEmptyString(wire.syntax) ?? ''} grammar:\n${definition}`;
}
