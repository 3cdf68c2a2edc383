import type { Tool, ToolChoice } from '../../core/chat-request.ts';
import { invalidRequest } from '../invalid-request.ts';
import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';

/** The tools the model is told of, and which of them it may or must call. */
export interface ChosenTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
}

/** Throws for a choice of what is not there, or of what nobody here can run. */
export function decodeToolChoice(choice: unknown, declared: DeclaredTools): ChosenTools {
  const chosen = isObject(choice) ? byObject(choice, declared) : byWord(choice, declared.tools);
  if (chosen.tools.length > 0) return chosen;
  if (chosen.toolChoice === 'required') {
    throw invalidRequest([{ path: ['tool_choice'], rule: 'must not be required where no tool can be called' }]);
  }
  return { tools: [], toolChoice: undefined };
}

function byWord(choice: unknown, tools: readonly Tool[]): ChosenTools {
  if (choice === null || choice === undefined) return { tools, toolChoice: undefined };
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { tools, toolChoice: choice };
  throw invalidRequest([{ path: ['tool_choice'], rule: 'must be none, auto, required or an object that names tools' }]);
}

function byObject(choice: WireObject, declared: DeclaredTools): ChosenTools {
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { tools: declared.tools, toolChoice: { name: named(choice, declared) } };
    case 'allowed_tools':
      return amongAllowed(choice, declared);
    default: {
      const type = wordOf(choice.type)?.slice(0, 64) ?? '';
      const rule = `forces ${type}, a tool that no model here can run: leave it out, or name a tool of your own`;
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
function amongAllowed(choice: WireObject, { tools, names }: DeclaredTools): ChosenTools {
  const allowed = listOf(choice.tools).filter(isObject);
  const isAllowed = (tool: Tool): boolean => {
    const { namespace, name } = names.identityOf(tool.name);
    return allowed.some((each) => {
      if (each.type === 'namespace') return each.name === namespace;
      return each.name === name && (each.namespace === undefined || each.namespace === (namespace ?? null));
    });
  };
  return { tools: tools.filter(isAllowed), toolChoice: choice.mode === 'required' ? 'required' : 'auto' };
}
