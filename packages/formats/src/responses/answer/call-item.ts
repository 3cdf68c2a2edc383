import { objectOf, parsedJson, type WireObject } from '../../wire-value.ts';
import { CustomInput } from './custom-input.ts';
import type { ToolIdentity } from '../../tool-names.ts';

/** A call while the model writes it, in the form in which its tool was declared. */
export interface OpenCall {
  /** The item before any of its input has arrived. */
  readonly added: WireObject;
  /** The fields with the complete input, if it is not sent in deltas. */
  readonly inputFields?: WireObject;
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
      return toolSearchCall(ids);
    default:
      return tool.kind satisfies never;
  }
}

function head(type: string, { namespace, name }: ToolIdentity, { id, callId }: CallIds): WireObject {
  return { id, type, status: 'in_progress', call_id: callId, name, ...(namespace !== undefined && { namespace }) };
}

class FunctionCall implements OpenCall {
  readonly added: WireObject;
  #json = '';

  constructor(tool: ToolIdentity, ids: CallIds) {
    this.added = { ...head('function_call', tool, ids), arguments: '' };
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
  readonly added: WireObject;
  readonly #input = new CustomInput();
  isEmpty = true;

  constructor(tool: ToolIdentity, ids: CallIds) {
    this.added = { ...head('custom_tool_call', tool, ids), input: '' };
  }

  push(json: string): string {
    if (json.trim() !== '{}') this.isEmpty = false;
    return this.#input.push(json);
  }

  end(): string {
    return this.#input.end();
  }
}

/** Its arguments are an object, which the format sends only when it is complete. */
function toolSearchCall({ id, callId }: CallIds): OpenCall {
  const type = 'tool_search_call';
  let json = '';
  return {
    added: { id, type, status: 'in_progress', call_id: callId, execution: 'client', arguments: {} },
    get inputFields() {
      return { arguments: objectOf(parsedJson(json)) ?? {} };
    },
    get isEmpty() {
      return json.trim() === '{}';
    },
    push(piece) {
      json += piece;
      return '';
    },
    end: () => '',
  };
}
