import type { Tool, ToolChoice } from '../../chat/chat-request.ts';
import { invalidRequest } from '../../invalid-request.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';
import { hostedTools, toolOfType } from './provider-tools.ts';

export interface ChosenTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** Hosted tools of the provider that the request forces, by the names of their prices. */
  readonly forced: ReadonlySet<string>;
}

interface DecodedChoice extends Omit<ChosenTools, 'forced'> {
  readonly hosted: ReadonlySet<string>;
  readonly isHostedForced?: true;
}

/** Throws if the choice names a tool that is not declared. A hosted tool without a price is rejected elsewhere. */
export function decodeToolChoice(choice: unknown, declared: DeclaredTools): ChosenTools {
  const { tools, toolChoice, hosted, isHostedForced } = isObject(choice)
    ? decodeObject(choice, declared)
    : decodeWord(choice, declared);
  if (isHostedForced) return { tools, toolChoice: undefined, forced: hosted };
  if (tools.length > 0) return { tools, toolChoice, forced: none };
  if (toolChoice !== 'required') return { tools: [], toolChoice: undefined, forced: none };
  if (hosted.size > 0) return { tools: [], toolChoice: undefined, forced: hosted };
  throw invalidRequest([{ path: ['tool_choice'], rule: 'must not be required if no tool can be called' }]);
}

const none: ReadonlySet<string> = new Set();

function decodeWord(choice: unknown, declared: DeclaredTools): DecodedChoice {
  const { tools } = declared;
  const hosted = new Set(hostedTools(declared).map(({ name }) => name));
  if (choice === null || choice === undefined) return { tools, toolChoice: undefined, hosted };
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { tools, toolChoice: choice, hosted };
  throw invalidRequest([{ path: ['tool_choice'], rule: 'must be none, auto, required or an object that names tools' }]);
}

function decodeObject(choice: WireObject, declared: DeclaredTools): DecodedChoice {
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { tools: declared.tools, toolChoice: { name: nameOfChoice(choice, declared) }, hosted: none };
    case 'allowed_tools':
      return decodeAllowed(choice, declared);
    default: {
      const name = toolOfType(nonEmptyString(choice.type) ?? '');
      if (hostedTools(declared).some((tool) => tool.name === name))
        return { tools: declared.tools, toolChoice: undefined, hosted: new Set([name]), isHostedForced: true };
      const rule = `forces ${name.slice(0, 64)}, which is not among the tools of this request: declare it, or leave tool_choice out`;
      throw invalidRequest([{ path: ['tool_choice'], rule }]);
    }
  }
}

function nameOfChoice(choice: WireObject, { tools, names }: DeclaredTools): string {
  const wire = names.find(nonEmptyString(choice.namespace), nonEmptyString(choice.name) ?? '');
  const found = tools.find(({ name }) => name === wire) ?? findByBareName(choice.name, { tools, names });
  if (found) return found.name;
  throw invalidRequest([{ path: ['tool_choice', 'name'], rule: 'must name a tool of this request' }]);
}

/** A tool in a namespace may be named without the namespace if no other tool has its name. */
function findByBareName(name: unknown, { tools, names }: Pick<DeclaredTools, 'tools' | 'names'>): Tool | undefined {
  const fitting = tools.filter((tool) => names.identityOf(tool.name).name === name);
  return fitting.length === 1 ? fitting[0] : undefined;
}

function decodeAllowed(choice: WireObject, declared: DeclaredTools): DecodedChoice {
  const { tools, names } = declared;
  const allowed = listOf(choice.tools).filter(isObject);
  const isAllowed = (tool: Tool): boolean => {
    const { namespace, name } = names.identityOf(tool.name);
    return allowed.some((each) => {
      if (each.type === 'namespace') return each.name === namespace;
      return each.name === name && (each.namespace === undefined || each.namespace === (namespace ?? null));
    });
  };
  const types = new Set(allowed.map(({ type }) => toolOfType(nonEmptyString(type) ?? '')));
  const hosted = hostedTools(declared).flatMap(({ name }) => (types.has(name) ? [name] : []));
  const toolChoice = choice.mode === 'required' ? 'required' : 'auto';
  return { tools: tools.filter(isAllowed), toolChoice, hosted: new Set(hosted) };
}
