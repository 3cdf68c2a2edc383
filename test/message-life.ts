import { isObject, type WireObject } from 'chat-formats/wire-value.ts';

/** A message, assembled from its stream. */
export interface MessageLife {
  /** The message with its assembled blocks. The input of a tool is its JSON text. */
  readonly message: WireObject & { readonly content: readonly WireObject[] };
  /** The last frame, if it is an error. */
  readonly error: WireObject | undefined;
  readonly pings: number;
}

/** Parses a stream of the messages format as strictly as the strictest client. Throws the first violation. */
export function messageLife(text: string): MessageLife {
  const parser = new MessageParser();
  for (const frame of frames(text)) parser.read(frame);
  return parser.result();
}

interface Frame {
  readonly type: string;
  readonly data: WireObject;
}

function frames(text: string): readonly Frame[] {
  check(text.endsWith('\n\n'), 'the stream ends inside a frame');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const [, name, json] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(frame) ?? [];
      check(name !== undefined && json !== undefined, `not a frame: ${frame}`);
      const data: unknown = JSON.parse(json ?? '');
      check(isObject(data) && data['type'] === name, `the name and the type of a frame differ: ${frame}`);
      return { type: name ?? '', data: data };
    });
}

const deltaOf: Readonly<Record<string, readonly [type: string, field: string]>> = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
  server_tool_use: ['input_json_delta', 'partial_json'],
};

const stopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
];

class MessageParser {
  #message: Record<string, unknown> | undefined;
  readonly #content: Record<string, unknown>[] = [];
  #open: Record<string, unknown> | undefined;
  #isSigned = false;
  #hasEnd = false;
  #isStopped = false;
  #error: WireObject | undefined;
  #pings = 0;

  read({ type, data }: Frame): void {
    check(!this.#isStopped, `${type} comes after message_stop`);
    check(!this.#error, `${type} comes after an error`);
    if (type === 'ping') return void this.#pings++;
    if (type === 'error') return this.#fail(data);
    if (type === 'message_start') return this.#start(data);
    check(this.#message !== undefined, `${type} comes before message_start`);
    check(!this.#hasEnd || type === 'message_stop', `${type} comes after message_delta`);
    if (type === 'content_block_start') this.#startBlock(data);
    else if (type === 'content_block_delta') this.#delta(data);
    else if (type === 'content_block_stop') this.#stopBlock(data);
    else if (type === 'message_delta') this.#end(data);
    else if (type === 'message_stop') this.#stop();
    else check(false, `${type} is not part of a message`);
  }

  result(): MessageLife {
    check(this.#isStopped || this.#error !== undefined, 'the message has no end');
    const message = { ...this.#message, content: this.#content };
    return { message, error: this.#error, pings: this.#pings };
  }

  #start(data: WireObject): void {
    const message = objectIn(data, 'message');
    check(this.#message === undefined, 'a message starts twice');
    check(typeof message['id'] === 'string' && typeof message['model'] === 'string', 'a message has no id or model');
    check(message['type'] === 'message' && message['role'] === 'assistant', 'the type or role of the message is wrong');
    check(Array.isArray(message['content']) && message['content'].length === 0, 'a message starts with content');
    check(message['stop_reason'] === null && message['stop_sequence'] === null, 'a message starts with a stop reason');
    checkUsage(objectIn(message, 'usage'));
    this.#message = { ...message };
  }

  #startBlock(data: WireObject): void {
    const block = objectIn(data, 'content_block');
    check(this.#open === undefined, 'two blocks are open at once');
    check(data['index'] === this.#content.length, `a block has the index ${String(data['index'])}`);
    checkBlock(block);
    this.#open = { ...block };
    this.#isSigned = false;
    this.#content.push(this.#open);
  }

  #delta(data: WireObject): void {
    const block = this.#blockOf(data);
    const delta = objectIn(data, 'delta');
    check(!this.#isSigned, 'thinking continues after its signature');
    if (delta['type'] === 'signature_delta') {
      check(block['type'] === 'thinking', 'a block that is not thinking has a signature');
      check(typeof delta['signature'] === 'string', 'a signature is not a string');
      this.#isSigned = true;
      block['signature'] = delta['signature'];
      return;
    }
    const [type, field] = deltaOf[String(block['type'])] ?? [];
    check(type !== undefined && field !== undefined, `${String(block['type'])} has a delta`);
    check(delta['type'] === type, `${String(block['type'])} has a ${String(delta['type'])}`);
    const piece = delta[field ?? ''];
    check(typeof piece === 'string' && piece !== '', 'a delta is empty');
    const key = type === 'input_json_delta' ? 'input' : (field ?? '');
    block[key] = (typeof block[key] === 'string' ? block[key] : '') + piece;
  }

  #stopBlock(data: WireObject): void {
    const block = this.#blockOf(data);
    if (block['type'] === 'text') check(block['text'] !== '', 'a block of text is empty');
    if (block['type'] === 'thinking') check(this.#isSigned, 'thinking ends without a signature');
    this.#open = undefined;
  }

  #blockOf(data: WireObject): Record<string, unknown> {
    check(this.#open !== undefined, 'no block is open');
    check(data['index'] === this.#content.length - 1, 'a delta or a stop does not belong to the open block');
    return this.#open ?? {};
  }

  #end(data: WireObject): void {
    const { stop_reason: reason, stop_sequence: sequence } = objectIn(data, 'delta');
    const hasCalls = this.#content.some((block) => block['type'] === 'tool_use');
    check(this.#open === undefined, 'the message ends inside a block');
    check(stopReasons.includes(String(reason)), `${String(reason)} is not a stop reason`);
    check((reason === 'stop_sequence') === (typeof sequence === 'string'), 'stop reason and sequence do not agree');
    check(reason !== 'tool_use' || hasCalls, 'the stop reason is tool_use without a tool call');
    check(reason !== 'end_turn' || !hasCalls, 'the message has tool calls and the stop reason end_turn');
    checkUsage(objectIn(data, 'usage'));
    this.#hasEnd = true;
    Object.assign(this.#message ?? {}, objectIn(data, 'delta'), { usage: data['usage'] });
  }

  #stop(): void {
    check(this.#hasEnd, 'message_stop comes before message_delta');
    this.#isStopped = true;
  }

  #fail(data: WireObject): void {
    const error = objectIn(data, 'error');
    check(!this.#hasEnd, 'a failed answer has a stop reason');
    check(typeof error['type'] === 'string' && typeof error['message'] === 'string', 'an error has no type or message');
    this.#error = data;
  }
}

function checkBlock(block: WireObject): void {
  const { type } = block;
  if (type === 'text') check(block['text'] === '', 'text starts with text');
  else if (type === 'thinking') check(block['thinking'] === '' && block['signature'] === '', 'thinking starts wrong');
  else if (type === 'redacted_thinking') check(typeof block['data'] === 'string', 'redacted thinking has no data');
  else if (type === 'web_search_tool_result') check(Array.isArray(block['content']), 'a search result has no content');
  else if (type === 'tool_use' || type === 'server_tool_use') {
    check(typeof block['id'] === 'string' && typeof block['name'] === 'string', 'a tool has no id or name');
    check(JSON.stringify(block['input']) === '{}', 'a tool starts with input');
  } else check(false, `${String(type)} is not a block type`);
}

const counters = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

function checkUsage(usage: WireObject): void {
  for (const name of counters) check(isCount(usage[name]), `${name} is not a count`);
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = objectIn(usage, 'cache_creation');
  check(
    Number(short) + Number(long) === usage['cache_creation_input_tokens'],
    'the cache creation tokens do not add up',
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function objectIn(value: WireObject, name: string): WireObject {
  const inner = value[name];
  check(isObject(inner), `${name} is not an object`);
  return inner;
}

function check(isRight: boolean, sentence: string): asserts isRight {
  if (!isRight) throw new Error(`Invalid message stream: ${sentence}.`);
}
