import type { FinishReason, StreamEvent } from '../../chat/stream-event.ts';
import { NamedEventDecoder, type NamedEventDecoding, NamedEventStreamDecoder } from '../../named-event-stream.ts';
import { cutShort, upstreamFailed } from '../../provider-failure.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString, parsedJson } from '../../wire-value.ts';
import { decodeToolCalls, decodeToolParts } from './tool-usage.ts';
import { decodeResponsesUsage } from './usage.ts';
import { ItemIndexes, itemsMax } from './item-places.ts';
import { toolOfItem } from '../request/provider-tools.ts';
import { type ProviderItem, providerItem } from './provider-item.ts';
import type { EventStreamDecoder } from '../../event-stream-decoder.ts';
import { GatewayError } from '../../gateway-error.ts';
import { decodeErrorObject, ProviderError } from '../../chat-completions/answer/decode-error.ts';

export const openings: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);

export const pings: ReadonlySet<unknown> = new Set(['keepalive', 'ping']);

class ResponseDecoder extends NamedEventDecoder {
  readonly #indexes = new ItemIndexes();
  readonly #items = new Map<number, ProviderItem>();
  readonly #done = new Set<number>();
  /** Uses of each hosted tool, counted by the items of the response. */
  readonly #toolUses: Record<string, number> = {};
  /** Reports of the models that drew. */
  readonly #drawings: WireObject[] = [];
  readonly #stored = new Set<string>();
  #response: WireObject | undefined;

  get isStopped(): boolean {
    return this.#response !== undefined;
  }

  get isEnding(): boolean {
    return this.isStopped;
  }

  push(type: string | undefined, event: WireObject, events: StreamEvent[]): void {
    if (this.answeredAs && event.response) this.answeredAs(nonEmptyString(objectOf(event.response)?.id) ?? '');
    if (openings.has(type) || pings.has(type)) return;
    switch (type) {
      case 'response.output_item.added':
        this.#itemAt(this.#indexes.indexOf(type, event), objectOf(event.item) ?? {}, events);
        return;
      case 'response.output_item.done':
        return this.#end(this.#indexes.indexOf(type, event), objectOf(event.item) ?? {}, events);
      case 'response.completed':
        return this.#complete(objectOf(event.response) ?? {}, events);
      case 'response.incomplete':
        return this.#complete({ ...objectOf(event.response), status: 'incomplete' }, events);
      case 'error':
      case 'response.failed':
      case 'response.cancelled':
        throw decodeResponsesError(event);
      default:
        return this.#inside(type, event, events);
    }
  }

  end(events: StreamEvent[]): void {
    const response = this.#response;
    if (!response) throw cutShort();
    const raw =
      nonEmptyString(objectOf(response.incomplete_details)?.reason) ?? nonEmptyString(response.status) ?? 'completed';
    events.push({ type: 'finish', choice: 0, reason: this.#reason(raw, response.status), raw });
    const usage = decodeResponsesUsage(response.usage, this.decoding.onAnomaly, this.unsplit);
    const uses = { ...this.#toolUses, ...decodeToolCalls(response.tool_usage, this.decoding.onAnomaly) };
    const toolUses = Object.keys(uses).length > 0 ? { toolUses: uses } : {};
    const stored = this.#stored.size > 0 ? { stored: [...this.#stored] } : {};
    const parts = usage && decodeToolParts(usage, response.tool_usage, this.#drawings, this.decoding.onAnomaly);
    const serviceTier = nonEmptyString(response.service_tier);
    const served = serviceTier === undefined ? {} : { served: { serviceTier } };
    if (usage)
      events.push({ type: 'usage', usage: { ...usage, ...toolUses, ...served, ...(parts && { parts }), ...stored } });
    for (const what of this.anomalies) events.push({ type: 'anomaly', what });
  }

  /** An incomplete answer counts as cut off by its length, whatever other reason the provider gives. */
  #reason(raw: string, status: unknown): FinishReason {
    if (raw === 'content_filter') return 'content-filter';
    if (raw === 'max_output_tokens' || status === 'incomplete') return 'length';
    if (raw !== 'completed') return 'other';
    return this.calls > 0 ? 'tool-calls' : 'stop';
  }

  #inside(type: string | undefined, event: WireObject, events: StreamEvent[]): void {
    if (event.error) throw decodeResponsesError(event);
    const index = this.#indexes.indexOf(type, event);
    const item = this.#items.get(index);
    const name = type?.replace(/^response\./, '') ?? '';
    if (item) item.push(name, event, events);
    // Text counts even if its item was never added.
    else if (wordItems.has(name)) this.#itemAt(index, { type: wordItems.get(name) }, events).push(name, event, events);
    else this.decoding.onUnsupported('an event', type);
  }

  /** Decodes everything that was in no event, and ends the response. */
  #complete(response: WireObject, events: StreamEvent[]): void {
    for (const [index, item] of listOf(response.output).slice(0, itemsMax).entries()) {
      if (isObject(item)) this.#end(this.#indexes.inOutput(item, index), item, events);
    }
    this.#response = response;
  }

  #end(index: number, item: WireObject, events: StreamEvent[]): void {
    if (this.#done.has(index)) return;
    const open = this.#itemAt(index, item, events);
    this.#done.add(index);
    const tool = toolOfItem(item.type);
    if (tool !== undefined) this.#toolUses[tool] = (this.#toolUses[tool] ?? 0) + 1;
    const drawing = objectOf(item.svg_usage);
    if (drawing) this.#drawings.push(drawing);
    for (const id of storedIn(item)) if (this.#stored.size < storedMax) this.#stored.add(id);
    open.done(item, events);
  }

  #itemAt(index: number, item: WireObject, events: StreamEvent[]): ProviderItem {
    const known = this.#items.get(index);
    if (known) return known;
    if (this.#items.size >= itemsMax) throw upstreamFailed(`The provider's answer has more than ${itemsMax} items.`);
    const open = providerItem(item, this.decoding, events);
    this.#items.set(index, open);
    return open;
  }
}

/** More things than an answer creates. */
const storedMax = 256;

/** Ids of the sandbox that a tool of the provider used, and of files in it that the text cites. */
function storedIn(item: WireObject): readonly string[] {
  const parts = listOf(item.content).flatMap((part) => listOf(objectOf(part)?.annotations));
  const cited = parts.flatMap((part) => [objectOf(part)?.container_id, objectOf(part)?.file_id]);
  return [item.container_id, objectOf(item.environment)?.container_id, ...cited].flatMap(
    (id) => nonEmptyString(id) ?? [],
  );
}

/** Types of text items, by the events that may begin them. */
const wordItems: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'output_text.delta': 'message',
    'refusal.delta': 'message',
    'reasoning_text.delta': 'reasoning',
    'reasoning_summary_text.delta': 'reasoning',
    'reasoning.delta': 'reasoning',
  }),
);

export function responsesStreamDecoder(decoding: NamedEventDecoding): EventStreamDecoder {
  return new NamedEventStreamDecoder({
    answer: new ResponseDecoder(decoding),
    isVerbatim: decoding.isVerbatim,
    pings,
    openings,
    decodeError: decodeResponsesError,
    stop: { name: 'terminal event', frame: '' },
  });
}

/** Decodes a complete response. It is handled like a stream that has only its last event. */
export function decodeResponsesBody(text: string, decoding: NamedEventDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (isObject(body) && body.error) throw decodeResponsesError(body);
  if (!isObject(body) || !Array.isArray(body.output)) throw upstreamFailed("The provider's answer is not a response.");
  const events: StreamEvent[] = decoding.isVerbatim ? [{ type: 'verbatim', text }] : [];
  const response = new ResponseDecoder(decoding);
  response.push(unfinished.has(body.status) ? 'response.failed' : 'response.completed', { response: body }, events);
  response.end(events);
  return events;
}

/** Statuses of a body that is not a complete answer. The gateway does not fetch the rest later. */
const unfinished: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'queued', 'in_progress']);

/** An error that a provider sent instead of an answer: an event, an envelope, or that of a failed response. */
function decodeResponsesError(value: unknown): GatewayError {
  const wire = objectOf(value) ?? { message: value };
  // An error event may also be flat: its `type` is then that of the event, not of the error.
  const error: WireObject = objectOf(wire.error) ??
    objectOf(objectOf(wire.response)?.error) ?? { ...wire, type: undefined };
  if (busyCodes.has(nonEmptyString(error.code) ?? '')) return busy(error);
  return decodeErrorObject({ error }) ?? upstreamFailed('The provider gave no reason.');
}

const busyCodes: ReadonlySet<string> = new Set(['server_is_overloaded', 'slow_down']);

/** Limit for the error text in the log. */
const textCharactersMax = 1000;

function busy(error: WireObject): GatewayError {
  const message = `The provider answered with an error: ${JSON.stringify(error).slice(0, textCharactersMax)}`;
  return new GatewayError('upstream-failed', { cause: new ProviderError(529, message) });
}
