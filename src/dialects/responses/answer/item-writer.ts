import type { Logprobs, TokenAlternative } from '../../../core/chat/stream-event.ts';
import type { ContentWriter } from '../../content-encoder.ts';
import type { WireObject } from '../../wire-value.ts';
import { type OpenCall, openCall } from './call-item.ts';
import type { EventFrames } from './event-frames.ts';
import { type EventCode, deltaCode } from './event-log.ts';
import { ItemEvents, type ItemEventKind } from './item-events.ts';
import type { Seal, ReasoningItem } from './reasoning-item.ts';
import type { ToolNames } from '../request/tool-names.ts';

export interface ItemWriterOptions {
  readonly frames: EventFrames;
  /** The request's id. The ids of items contain it. */
  readonly id: string;
  readonly names: ToolNames;
  readonly seal: Seal | undefined;
  /** Whether the client requested sealed reasoning. */
  readonly showsSealed: boolean;
  readonly showsLogprobs: boolean;
  /** Returns the events that must come before the first item, or '' if they were already sent. */
  readonly opening: () => string;
}

type OpenOutput =
  | { readonly type: 'message'; readonly id: string; readonly pieces: string[]; readonly logprobs: object[] }
  | { readonly type: 'reasoning'; readonly id: string; readonly pieces: string[] }
  | OpenCall;

/**
 * Writes the items of a response one after the other, with parts and deltas in the order that strict clients require.
 * An item is added first and done last, keeps its ids, and is the only open one.
 */
export class ItemWriter implements ContentWriter {
  readonly #options: ItemWriterOptions;
  /** Items that are done, as stored with the response, including sealed reasoning. */
  readonly #stored: WireObject[] = [];
  /** The items as the client receives them. The last one may be open. */
  readonly #output: WireObject[] = [];
  readonly #events = new ItemEvents(this.#output);
  readonly #callIds = new Set<string>();
  #open: OpenOutput | undefined;

  constructor(options: ItemWriterOptions) {
    this.#options = options;
  }

  /** The items as they are stored. */
  get stored(): readonly WireObject[] {
    return this.#stored;
  }

  /** The items that are done, as the client receives them. */
  get shown(): readonly WireObject[] {
    return this.#output.slice(0, this.#stored.length);
  }

  /** The items as the client has received them, including the open one. */
  get soFar(): readonly WireObject[] {
    return this.#open ? [...this.shown, openItem(this.#open)] : this.shown;
  }

  text(text: string, logprobs: Logprobs | undefined): string {
    const begun = this.#open?.type === 'message' ? '' : this.#beginMessage();
    const open = this.#open;
    if (open?.type !== 'message') return begun;
    open.pieces.push(text);
    const records = this.#options.showsLogprobs ? (logprobs ?? []).map(encodeToken) : [];
    open.logprobs.push(...records);
    const fields = `${this.#positionJson(open.id)},"content_index":0,"delta":${JSON.stringify(text)}`;
    const code = deltaCode(text.length, records.length);
    return begun + this.#piece('output_text.delta', `${fields},"logprobs":${JSON.stringify(records)}`, code);
  }

  thinking(text: string): string {
    const begun = this.#open?.type === 'reasoning' ? '' : this.#beginReasoning();
    const open = this.#open;
    if (open?.type !== 'reasoning') return begun;
    const isFirst = open.pieces.push(text) === 1;
    if (isFirst) this.#output[this.#stored.length] = openItem(open);
    const part = isFirst ? this.#event('s') : '';
    const fields = `${this.#positionJson(open.id)},"summary_index":0,"delta":${JSON.stringify(text)}`;
    return begun + part + this.#piece('reasoning_summary_text.delta', fields, text.length);
  }

  signature(signature: string): string {
    const begun = this.#open?.type === 'reasoning' ? '' : this.#beginReasoning();
    return begun + this.#endReasoning({ signature });
  }

  redactedThinking(data: string): string {
    return this.close() + this.#beginReasoning() + this.#endReasoning({ data });
  }

  toolUse(id: string, name: string): string {
    const closed = this.close();
    const identity = this.#options.names.identityOf(name);
    const call = openCall(identity, { id: this.#nextId(idPrefixes[identity.kind]), callId: this.#freeCallId(id) });
    return closed + this.#begin(call);
  }

  input(json: string): string {
    return this.#open && 'push' in this.#open ? this.#callDelta(this.#open, this.#open.push(json)) : '';
  }

  /** An empty object may be a placeholder, and more may follow. */
  onInputComplete(): string {
    return this.#open && 'push' in this.#open && !this.#open.isEmpty ? this.close() : '';
  }

  /** Writes a complete item without parts and deltas, and keeps its id. */
  completeBlock(item: WireObject): string {
    const before = this.close() + this.#options.opening();
    const index = this.#output.length;
    this.#events.open(index);
    const added = this.#options.frames.frame('response.output_item.added', { output_index: index, item });
    return before + added + this.#end(item, ['d']);
  }

  close(isCut = false): string {
    const open = this.#open;
    const status = isCut ? 'incomplete' : 'completed';
    if (!open) return '';
    if (open.type === 'message') return this.#end({ ...openItem(open), status }, ['t', 'e', 'd']);
    return open.type === 'reasoning' ? this.#endReasoning({}, status) : this.#endCall(open, status);
  }

  #beginMessage(): string {
    const closed = this.close();
    const begun = this.#begin({ type: 'message', id: this.#nextId('msg'), pieces: [], logprobs: [] });
    return closed + begun + this.#event('p');
  }

  #beginReasoning(): string {
    return this.close() + this.#begin({ type: 'reasoning', id: this.#nextId('rs'), pieces: [] });
  }

  #endReasoning(
    proof: { readonly signature?: string; readonly data?: string },
    status: 'completed' | 'incomplete' = 'completed',
  ): string {
    const open = this.#open;
    if (open?.type !== 'reasoning') return '';
    const sealed = this.#options.seal?.([reasoningOf(open.pieces.join(''), proof)]);
    const { status: _, ...item } = openItem(open);
    const done = { ...item, ...(sealed !== undefined && { encrypted_content: sealed }), status };
    return this.#end(done, open.pieces.length > 0 ? ['t', 'e', 'd'] : ['d']);
  }

  #callDelta(call: OpenCall, delta: string): string {
    if (delta === '' || call.deltaType === undefined) return '';
    const fields = `${this.#positionJson(call.id)},"delta":${JSON.stringify(delta)}`;
    return this.#piece(call.deltaType, fields, delta.length);
  }

  #endCall(call: OpenCall, status: string): string {
    const rest = this.#callDelta(call, call.end(status === 'completed'));
    return rest + this.#end({ ...openItem(call), status }, call.deltaType === undefined ? ['d'] : ['t', 'd']);
  }

  #begin(open: OpenOutput): string {
    this.#open = open;
    this.#output.push(openItem(open));
    return this.#options.opening() + this.#event('a');
  }

  /** Ends the open item with the events of these kinds. */
  #end(item: WireObject, kinds: readonly ItemEventKind[]): string {
    this.#open = undefined;
    this.#output[this.#stored.push(item) - 1] = this.#shown(item);
    return kinds.map((kind) => this.#event(kind)).join('');
  }

  #shown(item: WireObject): WireObject {
    if (this.#options.showsSealed || item.type !== 'reasoning' || item.encrypted_content === undefined) return item;
    const { encrypted_content: _, ...rest } = item;
    return rest;
  }

  #event(kind: ItemEventKind): string {
    const { type, ...fields } = this.#events.event(kind);
    return this.#options.frames.frame(type, fields);
  }

  #positionJson(id: string): string {
    return `"item_id":"${id}","output_index":${this.#stored.length}`;
  }

  #piece(type: string, fields: string, code: EventCode): string {
    return this.#options.frames.piece(`response.${type}`, fields, code);
  }

  #nextId(prefix: string): string {
    return `${prefix}_${this.#options.id}_${this.#output.length}`;
  }

  /** Returns a unique call id. Clients match results to calls by it and fail on a duplicate. */
  #freeCallId(id: string): string {
    let free = id;
    for (let number = 2; this.#callIds.has(free); number++) free = `${id}_${number}`;
    this.#callIds.add(free);
    return free;
  }
}

/** The item as sent so far. */
function openItem(open: OpenOutput): WireObject {
  if ('inputFields' in open) return { ...open.added, ...open.inputFields };
  const { id, type, pieces } = open;
  const text = pieces.join('');
  if (open.type === 'message') {
    return { id, type, role: 'assistant', status: 'in_progress', content: [textPart(text, open.logprobs)] };
  }
  return { id, type, summary: text === '' ? [] : [{ type: 'summary_text', text }], status: 'in_progress' };
}

const idPrefixes = { function: 'fc', custom: 'ctc', 'tool-search': 'tsc' } as const;

function textPart(text: string, logprobs: readonly object[]) {
  return { type: 'output_text', text, annotations: [], logprobs };
}

function reasoningOf(
  text: string,
  { signature, data }: { readonly signature?: string; readonly data?: string },
): ReasoningItem {
  if (data !== undefined) return { type: 'redacted-reasoning', data };
  return { type: 'reasoning', text, ...(signature !== undefined && { signature }) };
}

function encodeToken(record: Logprobs[number]): object {
  return { ...alternative(record), top_logprobs: (record.alternatives ?? []).map(alternative) };
}

function alternative({ token, logprob, bytes }: TokenAlternative): object {
  return { token, logprob, bytes: bytes ?? [] };
}
