import { isJson } from '../../json/safe-json.ts';
import { anomalies } from '../../anomaly.ts';
import type { Tool } from '../../chat/chat-request.ts';
import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { JsonCopy } from '../../json/json-copy.ts';
import { isObject, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { decodeCallSignature } from '../request/call-signature.ts';

interface OpenToolCall {
  /** Known once the call has started. */
  number: number | undefined;
  id: string | undefined;
  signature: string | undefined;
  name: string | undefined;
  hasArguments: boolean;
  /** The arguments came in one piece, so further arguments with a name belong to another call. */
  isComplete: boolean;
  /** Arguments received before the name. */
  early: string;
  readonly copy: JsonCopy | undefined;
}

export interface ToolCallDecoding {
  readonly newId: () => string;
  readonly tools?: readonly Tool[];
  readonly repair?: boolean;
}

/** Normalises the tool-call deltas of one choice: each call starts once, with id and name, numbered from 0. */
export class ToolCallDecoder {
  readonly #choice: number;
  readonly #newId: () => string;
  readonly #repair: boolean;
  readonly #names: ReadonlySet<string>;
  readonly #calls: OpenToolCall[] = [];
  readonly #byIndex = new Map<number, OpenToolCall>();
  startedCount = 0;
  /** The call whose arguments are an empty object so far: some providers send one before the real arguments. */
  #empty: OpenToolCall | undefined;

  constructor(choice: number, { newId, tools = [], repair = false }: ToolCallDecoding) {
    this.#choice = choice;
    this.#newId = newId;
    this.#repair = repair;
    this.#names = new Set(tools.map(({ name }) => name));
  }

  static startsCall(deltas: unknown): boolean {
    return decodeToolCallDeltas(deltas).some(({ name }) => name !== undefined);
  }

  get isUnsettled(): boolean {
    return this.#empty !== undefined;
  }

  push(deltas: unknown, events: StreamEvent[]): void {
    for (const delta of decodeToolCallDeltas(deltas)) {
      const call = this.#callOf(delta);
      if (call !== this.#empty) this.settle(events);
      call.id ??= delta.id;
      call.signature ??= delta.signature;
      if (call.number === undefined && delta.name !== undefined) this.#start(call, delta.name, events);
      if (delta.arguments === '') continue;
      call.isComplete = !call.hasArguments && isCompleteObject(delta.arguments);
      if (call.isComplete && delta.arguments.slice(1, -1).trim() === '') this.#empty = call;
      else this.#acceptArguments(call, delta.arguments, events);
    }
  }

  /** Emits the empty object as the final arguments, since no others followed. */
  settle(events: StreamEvent[]): void {
    const call = this.#empty;
    if (call) this.#acceptArguments(call, '{}', events);
  }

  /** Emits `{}` for calls without arguments. Returns the number of calls that never got a name and are dropped. */
  end(events: StreamEvent[], reason: FinishReason): number {
    for (const call of this.#calls) {
      if (!call.hasArguments) this.#append(call, '{}', events);
      else if (call.copy) this.#close(call, call.copy, reason, events);
    }
    return this.#calls.length - this.startedCount;
  }

  #callOf(delta: ToolCallDelta): OpenToolCall {
    const known = delta.index === undefined ? withoutIndex(this.#calls, delta) : this.#byIndex.get(delta.index);
    if (known && !isAnother(known, delta)) return known;
    const call = {
      number: undefined,
      id: delta.id,
      signature: undefined,
      name: undefined,
      hasArguments: false,
      isComplete: false,
      early: '',
      copy: this.#repair ? new JsonCopy({ repair: true }) : undefined,
    };
    this.#calls.push(call);
    if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    return call;
  }

  #acceptArguments(call: OpenToolCall, text: string, events: StreamEvent[]): void {
    this.#empty = undefined;
    call.hasArguments = true;
    this.#append(call, text, events);
  }

  #start(call: OpenToolCall, name: string, events: StreamEvent[]): void {
    call.number = this.startedCount++;
    call.name = name;
    const id = call.id ?? `call_${this.#newId()}`;
    const start = {
      type: 'tool-call-start',
      choice: this.#choice,
      call: call.number,
      id,
      name: this.#clientName(name),
    } as const;
    events.push(call.signature === undefined ? start : { ...start, signature: call.signature });
    this.#append(call, call.early, events);
    call.early = '';
  }

  #append(call: OpenToolCall, text: string, events: StreamEvent[]): void {
    if (text === '') return;
    if (call.number === undefined) call.early += text;
    else this.#emitArguments(call.number, call.copy ? copyArguments(call.copy, text) : text, events);
  }

  /** Closes arguments that the model left incomplete, unless the answer was truncated. */
  #close({ number }: OpenToolCall, copy: JsonCopy, reason: FinishReason, events: StreamEvent[]): void {
    if (number === undefined) return;
    let closing = '';
    if (reason === 'stop' || reason === 'tool-calls') copy.close((json) => (closing += json));
    this.#emitArguments(number, closing, events);
    if (copy.hasRepaired) events.push({ type: 'anomaly', what: anomalies.repairedCall });
  }

  #emitArguments(call: number, text: string, events: StreamEvent[]): void {
    if (text !== '') events.push({ type: 'tool-call-delta', choice: this.#choice, call, arguments: text });
  }

  /** The client's name for the tool, without leaked markup and without a namespace. */
  #clientName(name: string): string {
    const unmarked = name.slice(0, name.indexOf('<|') > 0 ? name.indexOf('<|') : undefined);
    const bare = unmarked.replace(/^functions\./, '');
    return this.#names.has(bare) ? bare : unmarked;
  }
}

/** Copies and repairs a piece of arguments. Text after a complete value stays unchanged. */
function copyArguments(copy: JsonCopy, text: string): string {
  let json = '';
  const write = (piece: string): void => {
    json += piece;
  };
  let at = 0;
  while (at < text.length && !copy.isDone) {
    at = copy.take(text, at, write);
    if (copy.isDone || at === text.length) break;
    copy.takeStray(write);
    at++;
  }
  return json + text.slice(at);
}

/** The call of a delta without index: by id, otherwise the last one, unless the delta starts a new call. */
function withoutIndex(calls: readonly OpenToolCall[], delta: ToolCallDelta): OpenToolCall | undefined {
  const last = calls.at(-1);
  if (delta.id === undefined) return last;
  const same = calls.findLast((call) => call.id === delta.id);
  if (same) return same;
  // The id comes late, or every delta has a new one.
  const isLate = last?.id === undefined || (delta.name === undefined && delta.arguments !== '');
  return isLate ? last : undefined;
}

/** Some providers give every call the same index, or none. Only a delta with a name can start a call. */
function isAnother(known: OpenToolCall, delta: ToolCallDelta): boolean {
  if (delta.name === undefined || known.name === undefined) return false;
  if (delta.id !== undefined && known.id !== undefined) return delta.id !== known.id;
  if (known.isComplete && delta.arguments !== '') return true;
  return delta.index === undefined && known.name !== delta.name;
}

function isCompleteObject(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}') && isJson(text);
}

interface ToolCallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
  /** The value that the provider requires back with the call. */
  readonly signature: string | undefined;
}

function decodeToolCallDeltas(value: unknown): readonly ToolCallDelta[] {
  const list = (Array.isArray(value) ? value : [value]).filter(isObject);
  // Several deltas of one chunk without an index are distinguished by their position.
  return list.map((wire, position) => decodeDelta(wire, list.length > 1 ? position : undefined));
}

function decodeDelta(wire: WireObject, position: number | undefined): ToolCallDelta {
  const called = objectOf(wire.function) ?? wire;
  const id = nonEmptyString(wire.id);
  const index = Number.isInteger(wire.index) ? (wire.index as number) : undefined;
  return {
    index: index ?? (id === undefined ? position : undefined),
    id,
    name: nonEmptyString(called.name),
    arguments: argumentsText(called.arguments),
    signature: decodeCallSignature(wire),
  };
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
