import type { ChatRequest, Tool } from '../../../core/chat/chat-request.ts';
import type { WireObject } from '../../wire-value.ts';
import { mark, type WireBlock } from './wire-block.ts';

export function encodeTool({ name, description, parameters = {}, strict, cache }: Tool): WireBlock {
  // The format requires a schema with a type.
  const schema = Object.hasOwn(parameters, 'type') ? parameters : { type: 'object', ...parameters };
  return { name, description, input_schema: schema, strict: strict === true || undefined, ...mark(cache) };
}

/**
 * The tool choice and whether calls may be parallel. `undefined` for a request without tools, where the format allows
 * no choice.
 */
export function encodeToolChoice({ tools, toolChoice, parallelToolCalls }: ChatRequest): WireObject | undefined {
  if (tools.length === 0) return undefined;
  if (toolChoice === 'none') return { type: 'none' };
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === undefined) return parallelToolCalls === false ? { type: 'auto', ...single } : undefined;
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single };
  return { type: toolChoice === 'required' ? 'any' : 'auto', ...single };
}
