import type { Logprobs, TokenAlternative } from '../../chat/stream-event.ts';
import type { ContentWriter } from '../../content-encoder.ts';
import type { WireObject } from '../../wire-value.ts';
import { type OpenCall, openCall } from './call-item.ts';
import { type EventFrames, deltaCode } from './event-log.ts';
import { itemEvent, ItemEvents, type ResponseEvent } from './item-events.ts';
import { inputKinds, outputText, summaryText, type TextKind } from './item-texts.ts';
import type { Seal, ReasoningItem } from '../reasoning-item.ts';
import type { ToolNames } from '../../tool-names.ts';

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

/** Writes the items of a response one after the other. Only one item is open at a time. */
export class ItemWriter implements ContentWriter {
  readonly #options: ItemWriterOptions;
  /** Items that are done, as stored with the response, including sealed reasoning. */
  readonly stored: WireObject[] = [];
  /** Items that are done, as the client receives them. */
  readonly shown: WireObject[] = [];
  readonly #callIds = new Set<string>();
  #open: ItemEvents | undefined;
  /** The open item, if it is a call. */
  #call: OpenCall | undefined;
  /** The JSON of the last position, without the braces around it. */
  #position: { readonly of: WireObject; readonly json: string } = { of: {}, json: '' };

  constructor(options: ItemWriterOptions) {
    this.#options = options;
  }

  /** The items as the client has received them, including the open one. */
  get soFar(): readonly WireObject[] {
    return this.#open ? [...this.shown, { ...this.#open.soFar, ...this.#call?.inputFields }] : this.shown;
  }

  text(text: string, logprobs: Logprobs | undefined): string {
    const begun = this.#open?.type === 'message' ? '' : this.#beginMessage();
    const records = this.#options.showsLogprobs ? (logprobs ?? []).map(encodeToken) : [];
    return begun + this.#delta(outputText, text, records);
  }

  thinking(text: string): string {
    const begun = this.#open?.type === 'reasoning' ? '' : this.#beginReasoning();
    return begun + this.#delta(summaryText, text);
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
    this.#call = call;
    return closed + this.#begin(call.added);
  }

  input(json: string): string {
    return this.#call ? this.#inputDelta(this.#call.push(json)) : '';
  }

  /** An empty object may be a placeholder, and more may follow. */
  onInputComplete(): string {
    return this.#call && !this.#call.isEmpty ? this.close() : '';
  }

  /** Writes a complete item without parts and deltas, and keeps its id. */
  completeBlock(item: WireObject): string {
    const before = this.close() + this.#options.opening();
    const index = this.shown.length;
    this.stored.push(item);
    this.shown.push(this.#visible(item));
    return before + this.#write([itemEvent('added', index, item), itemEvent('done', index, this.#visible(item))]);
  }

  close(isCut = false): string {
    const open = this.#open;
    const status = isCut ? 'incomplete' : 'completed';
    if (!open) return '';
    if (open.type === 'reasoning') return this.#endReasoning({}, status);
    const rest = this.#call ? this.#inputDelta(this.#call.end(!isCut)) : '';
    return rest + this.#end({ ...open.soFar, ...this.#call?.inputFields, status });
  }

  #beginMessage(): string {
    const closed = this.close();
    const id = this.#nextId('msg');
    return closed + this.#begin({ id, type: 'message', role: 'assistant', status: 'in_progress', content: [] });
  }

  #beginReasoning(): string {
    const closed = this.close();
    return closed + this.#begin({ id: this.#nextId('rs'), type: 'reasoning', summary: [], status: 'in_progress' });
  }

  #endReasoning(
    proof: { readonly signature?: string; readonly data?: string },
    status: 'completed' | 'incomplete' = 'completed',
  ): string {
    const open = this.#open;
    if (open?.type !== 'reasoning') return '';
    const sealed = this.#options.seal?.([reasoningOf(open.text?.sent ?? '', proof)]);
    const { status: _, ...item } = open.soFar;
    return this.#end({ ...item, ...(sealed !== undefined && { encrypted_content: sealed }), status });
  }

  #begin(added: WireObject): string {
    this.#open = new ItemEvents(this.shown.length, added);
    return this.#options.opening() + this.#write([this.#open.added()]);
  }

  #inputDelta(delta: string): string {
    const kind = inputKinds.get(this.#open?.type);
    return delta === '' || !kind ? '' : this.#delta(kind, delta);
  }

  /** Writes the JSON of a delta by hand: most events are deltas. */
  #delta(kind: TextKind, delta: string, records: readonly object[] = []): string {
    const open = this.#open;
    if (!open) return '';
    const part = this.#write(open.openPart(kind));
    open.append(delta, records);
    const logprobs = kind === outputText ? `,"logprobs":${JSON.stringify(records)}` : '';
    const fields = `${this.#positionJson(open.position)},"delta":${JSON.stringify(delta)}${logprobs}`;
    const code = deltaCode(delta.length, records.length);
    return part + this.#options.frames.piece(`response.${kind.event}.delta`, fields, code);
  }

  #positionJson(position: WireObject): string {
    if (this.#position.of !== position) this.#position = { of: position, json: JSON.stringify(position).slice(1, -1) };
    return this.#position.json;
  }

  #end(item: WireObject): string {
    const events = this.#open?.done(this.#visible(item)) ?? [];
    this.#open = undefined;
    this.#call = undefined;
    this.stored.push(item);
    this.shown.push(this.#visible(item));
    return this.#write(events);
  }

  #visible(item: WireObject): WireObject {
    if (this.#options.showsSealed || item.type !== 'reasoning' || item.encrypted_content === undefined) return item;
    const { encrypted_content: _, ...rest } = item;
    return rest;
  }

  #write(events: readonly ResponseEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#options.frames.frame(event);
    return frames;
  }

  #nextId(prefix: string): string {
    return `${prefix}_${this.#options.id}_${this.shown.length}`;
  }

  /** Returns a unique call id. Clients match results to calls by it and fail on a duplicate. */
  #freeCallId(id: string): string {
    let free = id;
    for (let number = 2; this.#callIds.has(free); number++) free = `${id}_${number}`;
    this.#callIds.add(free);
    return free;
  }
}

const idPrefixes = { function: 'fc', custom: 'ctc', 'tool-search': 'tsc' } as const;

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
