import { objectOf, parsedJson, type WireObject } from '../../wire-value.ts';
import { CustomInput } from './custom-input.ts';
import type { ToolIdentity } from '../request/tool-names.ts';

/** A call while the model writes it, in the form in which its tool was declared. */
export interface OpenCall {
  readonly type: 'function_call' | 'custom_tool_call' | 'tool_search_call';
  readonly id: string;
  /** The item before any of its input has arrived. */
  readonly added: WireObject;
  /** The event type of its deltas. Undefined if the format has none for this kind. */
  readonly deltaType: string | undefined;
  /** The fields with the complete input. */
  readonly inputFields: WireObject;
  /** Whether the input so far is only an empty object. */
  readonly isEmpty: boolean;
  /** Takes a piece of the arguments and returns the delta to send. */
  push(json: string): string;
  /** Returns the last delta. A call that was cut off stays as it is. */
  end(isComplete: boolean): string;
}

interface CallIds {
  readonly id: string;
  readonly callId: string;
}

export function openCall(tool: ToolIdentity, ids: CallIds): OpenCall {
  switch (tool.kind) {
    case 'function':
      return new FunctionCall(tool, ids);
    case 'custom':
      return new CustomCall(tool, ids);
    case 'tool-search':
      return new ToolSearchCall(ids);
    default:
      return tool.kind satisfies never;
  }
}

function head(type: OpenCall['type'], { namespace, name }: ToolIdentity, { id, callId }: CallIds): WireObject {
  return { id, type, status: 'in_progress', call_id: callId, name, ...(namespace !== undefined && { namespace }) };
}

class FunctionCall implements OpenCall {
  readonly type = 'function_call';
  readonly id: string;
  readonly added: WireObject;
  readonly deltaType = 'function_call_arguments.delta';
  readonly #name: string;
  #json = '';

  constructor(tool: ToolIdentity, ids: CallIds) {
    this.id = ids.id;
    this.#name = tool.name;
    this.added = { ...head(this.type, tool, ids), arguments: '' };
  }

  get inputFields(): WireObject {
    return { name: this.#name, arguments: this.#json };
  }

  get isEmpty(): boolean {
    return this.#json.trim() === '{}';
  }

  push(json: string): string {
    this.#json += json;
    return json;
  }

  /** A complete call without arguments gets an empty object. */
  end(isComplete: boolean): string {
    return isComplete && this.#json.trim() === '' ? this.push('{}') : '';
  }
}

class CustomCall implements OpenCall {
  readonly type = 'custom_tool_call';
  readonly id: string;
  readonly added: WireObject;
  readonly deltaType = 'custom_tool_call_input.delta';
  readonly #input = new CustomInput();
  #text = '';
  isEmpty = true;

  constructor(tool: ToolIdentity, ids: CallIds) {
    this.id = ids.id;
    this.added = { ...head(this.type, tool, ids), input: '' };
  }

  get inputFields(): WireObject {
    return { input: this.#text };
  }

  push(json: string): string {
    if (json.trim() !== '{}') this.isEmpty = false;
    return this.#append(this.#input.push(json));
  }

  end(): string {
    return this.#append(this.#input.end());
  }

  #append(text: string): string {
    this.#text += text;
    return text;
  }
}

/** Its arguments are an object, which the format sends only when it is complete. */
class ToolSearchCall implements OpenCall {
  readonly type = 'tool_search_call';
  readonly id: string;
  readonly added: WireObject;
  readonly deltaType = undefined;
  #json = '';

  constructor({ id, callId }: CallIds) {
    this.id = id;
    this.added = { id, type: this.type, status: 'in_progress', call_id: callId, execution: 'client', arguments: {} };
  }

  get inputFields(): WireObject {
    return { arguments: objectOf(parsedJson(this.#json)) ?? {} };
  }

  get isEmpty(): boolean {
    return this.#json.trim() === '{}';
  }

  push(json: string): string {
    this.#json += json;
    return '';
  }

  end(): string {
    return '';
  }
}
