/** A tool that the model may call, independent of a wire format. */
export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** A JSON schema. */
  readonly parameters: object;
}

export type ToolProblem = 'not-json' | 'not-a-list' | 'no-name';

/** Parses a JSON list of tools in the format of either surface, or returns its problem. */
export function readTools(text: string): { readonly tools: readonly Tool[] } | { readonly problem: ToolProblem } {
  if (text.trim() === '') return { tools: [] };
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return { problem: 'not-json' };
  }
  if (!Array.isArray(list)) return { problem: 'not-a-list' };
  const tools = list.map(toolOf);
  const known = tools.filter((tool) => tool !== undefined);
  return known.length === tools.length ? { tools: known } : { problem: 'no-name' };
}

interface WrittenTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
  readonly input_schema?: unknown;
}

function toolOf(written: unknown): Tool | undefined {
  if (!isObject(written)) return undefined;
  const tool: WrittenTool = 'function' in written && isObject(written.function) ? written.function : written;
  if (typeof tool.name !== 'string' || tool.name === '') return undefined;
  const schema = tool.parameters ?? tool.input_schema;
  return {
    name: tool.name,
    description: typeof tool.description === 'string' ? tool.description : undefined,
    parameters: isObject(schema) ? schema : { type: 'object', properties: {} },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An example to start from. */
export const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city right now.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string', description: 'Such as Bern' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
);
