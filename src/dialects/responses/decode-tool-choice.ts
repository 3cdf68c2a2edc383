import type { Tool, ToolChoice } from '../../core/chat-request.ts';
import { invalidRequest } from '../invalid-request.ts';
import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';
import { hostedTools, toolOfType } from './provider-tools.ts';

/** The tools the model is told of, and which of them it may or must call. */
export interface ChosenTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** Tools of the provider's own that the answer cannot do without, by the names of their prices. */
  readonly forced: ReadonlySet<string>;
}

interface DecodedChoice extends Omit<ChosenTools, 'forced'> {
  /** Tools of the provider's own that may be called, or must be. */
  readonly hosted: ReadonlySet<string>;
  readonly isHostedForced?: true;
}

/** Throws for a choice of what is not there. What the provider would have to run is refused where it has no price. */
export function decodeToolChoice(choice: unknown, declared: DeclaredTools): ChosenTools {
  const { tools, toolChoice, hosted, isHostedForced } = isObject(choice)
    ? byObject(choice, declared)
    : byWord(choice, declared);
  if (isHostedForced) return { tools, toolChoice: undefined, forced: hosted };
  if (tools.length > 0) return { tools, toolChoice, forced: none };
  if (toolChoice !== 'required') return { tools: [], toolChoice: undefined, forced: none };
  if (hosted.size > 0) return { tools: [], toolChoice: undefined, forced: hosted };
  throw invalidRequest([{ path: ['tool_choice'], rule: 'must not be required where no tool can be called' }]);
}

const none: ReadonlySet<string> = new Set();

function byWord(choice: unknown, declared: DeclaredTools): DecodedChoice {
  const { tools } = declared;
  const hosted = new Set(hostedTools(declared).map(({ name }) => name));
  if (choice === null || choice === undefined) return { tools, toolChoice: undefined, hosted };
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { tools, toolChoice: choice, hosted };
  throw invalidRequest([{ path: ['tool_choice'], rule: 'must be none, auto, required or an object that names tools' }]);
}

function byObject(choice: WireObject, declared: DeclaredTools): DecodedChoice {
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { tools: declared.tools, toolChoice: { name: named(choice, declared) }, hosted: none };
    case 'allowed_tools':
      return amongAllowed(choice, declared);
    default: {
      const name = toolOfType(wordOf(choice.type) ?? '');
      if (hostedTools(declared).some((tool) => tool.name === name))
        return { tools: declared.tools, toolChoice: undefined, hosted: new Set([name]), isHostedForced: true };
      const rule = `forces ${name.slice(0, 64)}, which is not among the tools of this request: declare it, or leave tool_choice out`;
      throw invalidRequest([{ path: ['tool_choice'], rule }]);
    }
  }
}

function named(choice: WireObject, { tools, names }: DeclaredTools): string {
  const wire = names.find(wordOf(choice.namespace), wordOf(choice.name) ?? '');
  const found = tools.find(({ name }) => name === wire) ?? alone(choice.name, { tools, names });
  if (found) return found.name;
  throw invalidRequest([{ path: ['tool_choice', 'name'], rule: 'must name a tool of this request' }]);
}

/** A tool of a namespace may be named without it where there is no other of its name. */
function alone(name: unknown, { tools, names }: Pick<DeclaredTools, 'tools' | 'names'>): Tool | undefined {
  const fitting = tools.filter((tool) => names.identityOf(tool.name).name === name);
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Allowed are tools, or whole namespaces. */
function amongAllowed(choice: WireObject, declared: DeclaredTools): DecodedChoice {
  const { tools, names } = declared;
  const allowed = listOf(choice.tools).filter(isObject);
  const isAllowed = (tool: Tool): boolean => {
    const { namespace, name } = names.identityOf(tool.name);
    return allowed.some((each) => {
      if (each.type === 'namespace') return each.name === namespace;
      return each.name === name && (each.namespace === undefined || each.namespace === (namespace ?? null));
    });
  };
  const types = new Set(allowed.map(({ type }) => toolOfType(wordOf(type) ?? '')));
  const hosted = hostedTools(declared).flatMap(({ name }) => (types.has(name) ? [name] : []));
  const toolChoice = choice.mode === 'required' ? 'required' : 'auto';
  return { tools: tools.filter(isAllowed), toolChoice, hosted: new Set(hosted) };
}
