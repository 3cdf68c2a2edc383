import { isObject, listOf, type WireObject } from 'chat-formats/wire-value.ts';

/** A response, assembled from its stream. */
export interface ResponseLife {
  /** The response of the terminal event. */
  readonly response: WireObject & { readonly output: readonly WireObject[] };
  /** The `error` event, if there was one. */
  readonly error: WireObject | undefined;
  readonly events: readonly WireObject[];
}

/** Parses a stream of the responses format as strictly as the strictest client. Throws the first violation. */
export function responseLife(text: string): ResponseLife {
  const events = eventsIn(text);
  const parser = new ResponseParser();
  for (const event of events) parser.read(event);
  return { ...parser.result(), events };
}

/** Checks that the events of streams are in an order that the strictest client accepts. */
export function assertLegalOrder(...streams: readonly string[]): void {
  for (const stream of streams) responseLife(stream);
}

export function eventsIn(text: string): readonly WireObject[] {
  check(text.endsWith('\n\n'), 'the stream ends inside a frame');
  const frames = text.slice(0, -2).split('\n\n');
  const dataFrames = frames.filter((frame) => !frame.startsWith(':'));
  check(dataFrames.at(-1) === 'data: [DONE]', `the last frame is not the terminator: ${dataFrames.at(-1)}`);
  return dataFrames.slice(0, -1).map((frame) => {
    const [, name, json] = /^event: ([\w.]+)\ndata: ([^\n]*)$/.exec(frame) ?? [];
    check(name !== undefined && json !== undefined, `not a frame: ${frame}`);
    const event: unknown = JSON.parse(json ?? '');
    check(isObject(event) && event.type === name, `the name and the type of a frame differ: ${frame}`);
    return event as WireObject;
  });
}

/** Every key of the response object that the format's schema requires. */
export const responseKeys = [
  'id',
  'object',
  'created_at',
  'completed_at',
  'status',
  'incomplete_details',
  'model',
  'previous_response_id',
  'instructions',
  'output',
  'error',
  'tools',
  'tool_choice',
  'truncation',
  'parallel_tool_calls',
  'text',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'temperature',
  'reasoning',
  'usage',
  'max_output_tokens',
  'max_tool_calls',
  'store',
  'background',
  'service_tier',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
];

/** An unfinished part of an item: its text so far, and whether its text is declared complete. */
interface OpenPart {
  readonly type: string;
  text: string;
  isComplete: boolean;
}

interface OpenItem {
  readonly item: WireObject;
  readonly index: number;
  part: OpenPart | undefined;
  parts: WireObject[];
  input: string;
  isInputComplete: boolean;
}

const inputField: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' };

class ResponseParser {
  #next = 0;
  #response: WireObject | undefined;
  #open: OpenItem | undefined;
  readonly #done: WireObject[] = [];
  readonly #ids = new Set<unknown>();
  readonly #callIds = new Set<unknown>();
  #hasItems = false;
  #error: WireObject | undefined;
  #end: WireObject | undefined;

  read(event: WireObject): void {
    check(this.#end === undefined, `something follows the terminal event: ${String(event.type)}`);
    check(event.sequence_number === this.#next, `number ${String(event.sequence_number)} where ${this.#next} is due`);
    this.#next += 1;
    check(event.type === 'error' || !event.error, `a top-level error in ${String(event.type)}`);
    if (this.#next === 1) check(event.type === 'response.created', `the first event is ${String(event.type)}`);
    else check(event.type !== 'response.created', 'created twice');
    check(this.#error === undefined || event.type === 'response.failed', `${String(event.type)} after an error`);
    this.#take(event);
  }

  result(): Omit<ResponseLife, 'events'> {
    check(this.#end !== undefined, 'there is no terminal event');
    return { response: this.#end as ResponseLife['response'], error: this.#error };
  }

  #take(event: WireObject): void {
    const type = String(event.type).replace(/^response\./, '');
    switch (type) {
      case 'created':
      case 'queued':
      case 'in_progress':
        return this.#lifecycle(type, event);
      case 'output_item.added':
        return this.#add(event);
      case 'output_item.done':
        return this.#finish(event);
      case 'completed':
      case 'incomplete':
      case 'failed':
        return this.#terminate(type, event);
      case 'error':
        this.#error = event.error as WireObject;
        return check(isObject(this.#error), 'an error event without an error');
      case 'keepalive':
        return;
      default:
        return this.#inside(type, event);
    }
  }

  #lifecycle(type: string, { response }: WireObject): void {
    check(!this.#hasItems, `${type} after an item`);
    const wire = this.#checked(response);
    const status = type === 'created' ? ['queued', 'in_progress'] : [type];
    check(status.includes(String(wire.status)), `${type} has the status ${String(wire.status)}`);
    check(listOf(wire.output).length === 0, `${type} has output`);
    this.#response = wire;
  }

  #checked(response: unknown): WireObject {
    check(isObject(response), 'no response');
    const wire = response as WireObject;
    for (const key of responseKeys) check(Object.hasOwn(wire, key), `the response has no ${key}`);
    check(this.#response === undefined || this.#response.id === wire.id, 'the id of the response changed');
    check(/^resp_\w+$/.test(String(wire.id)), `an invalid id: ${String(wire.id)}`);
    for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'top_logprobs']) {
      check(typeof wire[name] === 'number', `${name} is not a number`);
    }
    return wire;
  }

  #add({ output_index, item: added }: WireObject): void {
    check(this.#open === undefined, 'an item begins inside another');
    check(isObject(added), 'no item');
    const item = added as WireObject;
    check(output_index === this.#done.length, `index ${String(output_index)} where ${this.#done.length} is due`);
    // An item that arrives complete has no status.
    check(isComplete(item) || item.status === 'in_progress', 'an item begins that is not in progress');
    check(
      !this.#ids.has(item.id) && /^[a-z]+_\w+$/.test(String(item.id)),
      `an invalid or repeated id: ${String(item.id)}`,
    );
    this.#ids.add(item.id);
    if ('call_id' in item) {
      check(
        typeof item.call_id === 'string' && !this.#callIds.has(item.call_id),
        `an invalid or repeated call id: ${String(item.call_id)}`,
      );
      this.#callIds.add(item.call_id);
    }
    if (item.type === 'reasoning') check(Array.isArray(item.summary), 'reasoning without a summary');
    if (item.type === 'message')
      check(item.role === 'assistant' && Array.isArray(item.content), 'a message without content');
    this.#hasItems = true;
    this.#open = { item, index: this.#done.length, part: undefined, parts: [], input: '', isInputComplete: false };
  }

  #inside(type: string, event: WireObject): void {
    const open = this.#open;
    check(open !== undefined, `${type} outside of an item`);
    if (!open) return;
    check(event.item_id === open.item.id && event.output_index === open.index, `${type} of another item`);
    const [name = '', step = ''] = type.split('.');
    if (name === 'content_part' || name === 'reasoning_summary_part') return seePart(open, name, step, event);
    if (name === 'output_text' || name === 'reasoning_summary_text' || name === 'reasoning_text')
      return seeText(open, name, step, event);
    const field = inputField[String(open.item.type)];
    check(name === 'function_call_arguments' || name === 'custom_tool_call_input', `an unknown event: ${type}`);
    check(field !== undefined && !open.isInputComplete, `${type} after the end of its input`);
    if (step === 'delta') open.input += String(event.delta);
    else {
      check(event[field ?? ''] === open.input, `${type} differs from its deltas`);
      open.isInputComplete = true;
    }
  }

  #finish({ output_index, item: done }: WireObject): void {
    const open = this.#open;
    check(open !== undefined && isObject(done), 'an item ends that did not begin');
    if (!open || !isObject(done)) return;
    const { item } = open;
    check(output_index === open.index, 'an item ends at another index');
    for (const key of ['id', 'type', 'call_id', 'name', 'namespace', 'role']) {
      check(done[key] === item[key], `the ${key} of an item changed`);
    }
    check(open.part === undefined, 'an item ends inside a part');
    check(
      isComplete(item) || done.status === 'completed' || done.status === 'incomplete',
      `an item ends as ${String(done.status)}`,
    );
    if (item.type === 'message') check(same(done.content, open.parts), 'a message ends with other parts');
    if (item.type === 'reasoning') {
      const parts = [...listOf(done.summary), ...listOf(done.content)];
      check(same(parts, open.parts), 'reasoning ends with another summary');
    }
    const field = inputField[String(item.type)];
    if (field !== undefined) {
      check(open.isInputComplete && done[field] === open.input, 'a call ends with another input');
    }
    this.#done.push(done);
    this.#open = undefined;
  }

  #terminate(type: string, { response }: WireObject): void {
    const wire = this.#checked(response);
    check(wire.status === type, `${type} has the status ${String(wire.status)}`);
    check(type === 'failed' || this.#open === undefined, 'the response ends inside an item');
    check(holds(wire.output, this.#done), 'the response ends with other items');
    if (type === 'failed') check(isObject(wire.error), 'a failure without an error');
    else checkUsage(wire.usage);
    check(
      (type === 'incomplete') === isObject(wire.incomplete_details),
      'incomplete_details do not agree with the status',
    );
    this.#end = wire;
  }
}

function isComplete({ type, encrypted_content: sealed }: WireObject): boolean {
  return type === 'compaction' && typeof sealed === 'string';
}

function seePart(open: OpenItem, name: string, step: string, event: WireObject): void {
  const index = name === 'content_part' ? event.content_index : event.summary_index;
  check(index === open.parts.length, 'a part out of order');
  const part = event.part as WireObject;
  if (step === 'added') {
    check(open.part === undefined && part.text === '', 'a part begins inside another');
    open.part = { type: String(part.type), text: '', isComplete: false };
    return;
  }
  check(open.part?.isComplete === true, 'a part ends before its text');
  check(part.text === open.part?.text && part.type === open.part?.type, 'a part ends as another');
  open.parts.push(part);
  open.part = undefined;
}

function seeText(open: OpenItem, name: string, step: string, event: WireObject): void {
  check(open.part !== undefined && !open.part.isComplete, `${name} outside of a part`);
  if (!open.part) return;
  check((name === 'output_text') === (open.part.type === 'output_text'), 'text of another kind');
  if (step === 'delta') {
    check(typeof event.delta === 'string' && event.delta !== '', 'an empty delta');
    open.part.text += String(event.delta);
    return;
  }
  check(event.text === open.part.text, `${name} differs from its deltas`);
  open.part.isComplete = true;
}

function checkUsage(usage: unknown): void {
  check(isObject(usage), 'no usage');
  const { input_tokens_details: input, output_tokens_details: output, ...sums } = usage as WireObject;
  check(isObject(input) && typeof input.cached_tokens === 'number', 'no cached tokens');
  check(isObject(output) && typeof output.reasoning_tokens === 'number', 'no reasoning tokens');
  check(sums.total_tokens === Number(sums.input_tokens) + Number(sums.output_tokens), 'sums that do not add up');
}

/** Whether the output matches the streamed items. The final items may have more members. */
function holds(output: unknown, streamed: readonly WireObject[]): boolean {
  const items = listOf(output).filter(isObject);
  const isStreamed = (item: WireObject, at: number) =>
    Object.keys(streamed[at] ?? {}).every((key) => same(item[key], streamed[at]?.[key]));
  return items.length === streamed.length && items.every(isStreamed);
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function check(isRight: boolean, sentence: string): void {
  if (!isRight) throw new Error(sentence);
}
