import { providerCostFields, type Usage } from '../../chat/usage.ts';
import { eventCharactersMax } from '../../event-stream-decoder.ts';
import { eventReader } from '../../sse.ts';
import { objectOf, type WireObject, wordSet } from '../../wire-value.ts';
import { encodeResponsesUsage } from '../answer/usage.ts';
import { withValues, passedEvent, type PassedEvent, createEvent } from './passed-event.ts';
import { PassedOrder } from './passed-order.ts';
import { type ResponsesEncoding, type ResponseState, responseObject } from '../answer/response-object.ts';

/** Passes on a provider's events of the same format, also unknown ones, changed only for strict clients. */
export class PassedAnswer {
  readonly #encoding: ResponsesEncoding;
  readonly #order: PassedOrder;
  readonly #reader = eventReader(eventCharactersMax, (data, name) => {
    const event = passedEvent(data, name);
    if (event) this.#received.push(event);
  });
  #received: PassedEvent[] = [];
  /** The last event, held back until all other events are sent. */
  terminal: PassedEvent | undefined;

  constructor(encoding: ResponsesEncoding) {
    this.#encoding = encoding;
    this.#order = new PassedOrder(encoding.id);
  }

  get done(): readonly WireObject[] {
    return this.#order.done;
  }

  get soFar(): readonly WireObject[] {
    return this.#order.soFar;
  }

  /** Takes complete frames, or the complete body of an answer that was not streamed. */
  push(text: string): readonly PassedEvent[] {
    if (text.trimStart().startsWith('{')) {
      this.terminal = passedEvent(`{"type":"response.completed","response":${text}}`);
      return [];
    }
    this.#reader.push(text);
    const received = this.#received;
    this.#received = [];
    return received.flatMap((event) => this.#normalise(event));
  }

  breakOff(): void {
    this.terminal = createEvent('response.incomplete', { response: { status: 'incomplete', ...cutOff } });
  }

  /** Returns the remaining events before the last one, and adds the fields that clients require to the last one. */
  end(usage: Usage | undefined): readonly PassedEvent[] {
    if (!this.terminal) return [];
    const { events, terminal } = this.#order.end(this.terminal);
    this.terminal = this.#withResponse(terminal, usage);
    return events;
  }

  #normalise(event: PassedEvent): readonly PassedEvent[] {
    switch (event.type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return [this.#withResponse(event, undefined)];
      case 'response.completed':
      case 'response.incomplete':
        this.terminal = event;
        return [];
      default:
        return this.#order.take(event);
    }
  }

  #withResponse(event: PassedEvent, usage: Usage | undefined): PassedEvent {
    const response = objectOf(event.fields.response) ?? {};
    const status = statusOf(event.type, response);
    // The field is obsolete, and clients do not need it.
    const { user: _, ...own } = responseObject(this.#encoding, { status, output: [], usage });
    const isMissing = (name: string, value = response[name]): boolean =>
      value === undefined || (numbers.has(name) && typeof value !== 'number');
    const missing = Object.entries(own).filter(([name]) => isMissing(name));
    const counts = usage ? { usage: withAllCounts(response.usage, usage) } : {};
    const reason = status === 'incomplete' && !objectOf(response.incomplete_details) ? cutOff : {};
    return withValues(event, {
      response: { ...response, ...Object.fromEntries(missing), ...counts, ...reason, status },
    });
  }
}

/** The reason sent to the client for an answer that was cut off, if the provider gave none. */
const cutOff = { incomplete_details: { reason: 'max_output_tokens' } };

/** A complete body states in its status that the answer is incomplete; a stream has its own event for that. */
function statusOf(type: string, { status }: WireObject): ResponseState['status'] {
  if (type === 'response.created') return status === 'queued' ? 'queued' : 'in_progress';
  if (type === 'response.completed' && status !== 'incomplete') return 'completed';
  return type === 'response.queued' ? 'queued' : type === 'response.in_progress' ? 'in_progress' : 'incomplete';
}

/** Clients require numbers in the format's number fields. */
const numbers = wordSet('created_at temperature top_p presence_penalty frequency_penalty top_logprobs');

/** Adds missing counts, because clients fail on details without them. The charge replaces the provider's own. */
function withAllCounts(value: unknown, usage: Usage): WireObject {
  const own: WireObject = encodeResponsesUsage(usage);
  const provided = objectOf(value);
  if (!provided) return own;
  const shown = Object.entries(provided).filter(([name]) => !providerCostFields.has(name));
  return Object.fromEntries(
    Object.entries({ ...own, ...Object.fromEntries(shown) }).map(([name, value]) => {
      const known = own[name];
      if (typeof known === 'number') return [name, typeof value === 'number' ? value : known];
      return [name, withCounts(objectOf(value), objectOf(known)) ?? value];
    }),
  );
}

function withCounts(provided: WireObject | undefined, own: WireObject | undefined): WireObject | undefined {
  if (!own || !provided) return own;
  const missing = Object.entries(own).filter(([name]) => typeof provided[name] !== 'number');
  return { ...provided, ...Object.fromEntries(missing) };
}
