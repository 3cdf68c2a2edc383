import type { Catalog } from '../../../money/catalog/catalog.ts';
import type { Caller } from '../../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { lacksMoney } from 'chat-formats/gateway-error.ts';
import { decodeResponsesRequest } from 'chat-formats/responses/request/decode-request.ts';
import { ResponseStream } from 'chat-formats/responses/encode-stream.ts';
import { comment } from 'chat-formats/responses/answer/event-log.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from 'chat-formats/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { AnswerEncoder } from '../answer-stream.ts';
import { jsonValue } from '../exact-body.ts';
import { bearerSecret } from '../caller.ts';
import type { AnswerHead, ConversationFormat, DeferredRequest, ReplyHead } from '../conversation.ts';
import type { ReplyEnd } from '../replies/reply-reader.ts';
import { responseFailure } from './failure.ts';
import { invalid, type ResponseStorage, type SealOwner } from './sealed-responses.ts';
import type { InFlightResponses } from './in-flight-responses.ts';
import { named, refersToStored } from './stored-content.ts';
import { askForSummary, summariseBytes, summaryItem, wantsSummary, textOf } from './summary.ts';

export interface ConversationParts {
  readonly clock: Clock;
  readonly storage: ResponseStorage;
  readonly inference: { current(): { readonly catalog: Catalog } };
  readonly inFlight?: InFlightResponses | undefined;
  /** Undefined where requests never run in the background. */
  readonly background?: { begin(response: NewBackgroundResponse): Promise<ReplyEnd> } | undefined;
}

/** A request with `background: true`. */
export interface NewBackgroundResponse extends DeferredRequest {
  readonly request: ChatRequest;
  /** The catalog id of its model. */
  readonly model: string;
  /** JSON text. */
  readonly body: string;
}

/** Clients time out after 5 minutes without an event. Comments are not events. */
const silenceMaxMs = 120_000;

/** The error for followers of a response whose client left. */
const clientLeft = {
  code: 'server_error',
  type: 'gateway_error',
  message: 'The client that requested this response has left, so it was not completed.',
};

/** One request of the responses format: resolves its references and encodes its response. */
export class ResponseConversation implements ConversationFormat {
  readonly #parts: ConversationParts;
  readonly surface = 'openai-response';
  readonly secret = bearerSecret;
  #caller: Caller | undefined;
  /** The request's own items, without those of the previous response. */
  protected input: readonly unknown[] = [];
  protected compacted: readonly unknown[] | undefined;
  /** The client's body, if the model receives another request. */
  #clientBody: WireObject | undefined;
  /** The body of a request for the background, as it was sent. */
  #sentBody = '';
  protected stream: ResponseStream | undefined;
  /** The id of a response that is in the list of those in flight. */
  protected inFlightId: string | undefined;
  #lastEventMs = 0;
  #isEnding = false;
  /** Closing frames of open items. They are sent with the end of the response, also after an error. */
  #closing = '';

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    this.#caller = caller;
    if (!isObject(body.value)) return body;
    if (body.value['background'] === true) this.#refuseUnstored(body);
    const value = this.#withStore(body.value, body.bytes);
    this.input = itemsOf(value.input);
    const resolved = await this.#resolveReferences({ ...body, value }, value, caller);
    return wantsSummary(this.input) ? this.#compact(resolved, value) : resolved;
  }

  async #resolveReferences(body: JsonBody, value: WireObject, caller: Caller): Promise<JsonBody> {
    if (!refersToStored(value)) return body;
    const previousResponseId = nonEmptyString(value.previous_response_id);
    const input = await this.#parts.storage.resolve({ caller, previousResponseId, input: this.input });
    this.input = input.slice(input.length - this.input.length);
    // The earlier conversation counts toward the size of the request.
    const bytes = body.bytes + Buffer.byteLength(JSON.stringify(input));
    return { ...body, bytes, value: { ...value, input } };
  }

  #compact(body: JsonBody, value: WireObject): JsonBody {
    const resolved = body.value as WireObject;
    this.compacted = itemsOf(resolved.input).slice(0, -1);
    this.#clientBody = value;
    return { ...body, bytes: body.bytes + summariseBytes, value: askForSummary(resolved, this.compacted) };
  }

  /** The sealed summary of a conversation. Only the same model and account can use it. */
  summaryOf(
    events: readonly StreamEvent[],
    { id, model }: { readonly id: string; readonly model: string },
  ): WireObject {
    const owner = this.#owner(model);
    return summaryItem(id, textOf(events), (reasoning) => owner && this.#parts.storage.seal(reasoning, owner));
  }

  #refuseUnstored({ text, bytes }: JsonBody): void {
    this.#sentBody = text;
    if (!this.#parts.storage.admits({ store: undefined, bytes }))
      throw invalid('background is true, but responses are not stored here: leave background out.');
  }

  /** Creates the response of a request with `background: true`, which another process may generate. */
  defer(request: ChatRequest): ((deferred: DeferredRequest) => Promise<ReplyEnd>) | undefined {
    const { background, inference } = this.#parts;
    if (!background || request.wire.body['background'] !== true) return undefined;
    return async (deferred) => {
      const { id: model } = inference.current().catalog.require(deferred.caller, request.model, this.surface);
      return background.begin({ ...deferred, request, model, body: this.#sentBody });
    };
  }

  /** Sets `store: false` in the body if the response will not be stored. */
  #withStore(value: WireObject, bytes: number): WireObject {
    if (value.store === false || this.#parts.storage.admits({ store: value.store, bytes })) return value;
    return { ...value, store: false };
  }

  decode(body: JsonBody): ChatRequest {
    const { value, bytes } = body;
    const owner = this.#owner(isObject(value) ? nonEmptyString(value.model) : undefined);
    const unseal = (sealed: string) => owner && this.#parts.storage.unseal(sealed, owner);
    return decodeResponsesRequest(jsonValue(body), { body: value, bytes, unseal });
  }

  repliesWithJson(request: ChatRequest): boolean {
    return !request.wantsStream;
  }

  encoder(about: AnswerHead): AnswerEncoder {
    const stream = this.#streamOf({ ...about, model: about.answer.model });
    if (this.compacted) return this.#summaryEncoder(stream, about);
    return {
      encode: (batch) => this.#sendEvents(stream.encode(batch)),
      settled: () => {
        this.#isEnding = true;
        this.#closing = this.forward(stream.close());
        return this.store(stream, about);
      },
      done: () => this.#closing + this.#sendLast(stream.done()),
    };
  }

  /** Encodes a summary. It is one item, so it is sent only when complete. */
  #summaryEncoder(stream: ResponseStream, about: AnswerHead): AnswerEncoder {
    const events: StreamEvent[] = [];
    return {
      encode: (batch) => {
        for (const event of batch) if (event.type !== 'verbatim') events.push(event);
        return '';
      },
      settled: () => {
        const item = this.#summaryItem(stream, events, about);
        this.#isEnding = true;
        this.#closing = this.forward(item + stream.close());
        return this.store(stream, about);
      },
      done: () => this.#closing + this.#sendLast(stream.done()),
    };
  }

  #summaryItem(stream: ResponseStream, events: readonly StreamEvent[], { id, request }: AnswerHead): string {
    stream.encode(events.filter(({ type }) => type === 'finish' || type === 'usage'));
    return stream.completeItem(this.summaryOf(events, { id, model: request.model }));
  }

  async encodeJson(events: readonly StreamEvent[], about: AnswerHead): Promise<string> {
    const stream = this.#streamOf({ ...about, model: about.answer.model });
    if (this.compacted) this.#summaryItem(stream, events, about);
    else stream.encode(events);
    stream.close();
    await this.store(stream, about);
    return JSON.stringify(stream.shown);
  }

  /** Before the first item, repeats the state of the response; after it, sends comments up to the silence limit. */
  readonly keepAlive = (about: ReplyHead): string => {
    if (this.#isEnding) return this.forward(comment);
    const stream = this.#streamOf(about);
    const isSilent = this.#parts.clock.elapsed() - this.#lastEventMs >= silenceMaxMs;
    return stream.isSaying && !isSilent ? this.forward(comment) : this.#sendEvents(stream.keepAlive(about.isWaiting));
  };

  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string {
    const stream = this.#streamOf(about);
    return this.#closing + this.#sendLast(stream.fail(responseFailure(error, requestId, supportEmail)));
  }

  /** Clients retry a 402 five times or more. If the error is sent in a stream, they stop. */
  isSentInStream(error: unknown): boolean {
    return lacksMoney(error);
  }

  #sendEvents(frames: string): string {
    if (frames !== '') this.#lastEventMs = this.#parts.clock.elapsed();
    return this.forward(frames);
  }

  protected forward(frames: string): string {
    if (this.inFlightId !== undefined) this.#parts.inFlight?.send(this.inFlightId, frames);
    return frames;
  }

  /** Removes the response from the in-flight list: a client that received its last frame finds the stored one. */
  #sendLast(frames: string): string {
    this.forward(frames);
    this.over();
    return frames;
  }

  /** The reply has ended, completely or not. */
  over(): void {
    const stream = this.stream;
    if (this.inFlightId === undefined || !stream) return;
    this.#parts.inFlight?.remove(this.inFlightId, () => (stream.isOver ? '' : stream.fail(clientLeft)));
  }

  /** The id, the time of creation and the model of the response. */
  protected named({ id, created, request, model = request.model }: Omit<ReplyHead, 'isWaiting'>) {
    return { id, created, model };
  }

  #streamOf(about: Omit<ReplyHead, 'isWaiting'>): ResponseStream {
    const { clock, storage } = this.#parts;
    const { request } = about;
    const { id, created, model } = this.named(about);
    const owner = this.#owner(model);
    if (this.stream) return this.stream;
    const stream = new ResponseStream({
      id,
      created,
      model,
      body: this.#clientBody ?? request.wire.body,
      now: () => Math.floor(clock.now() / 1000),
      logprobs: request.logprobs,
      seal: (reasoning) => owner && storage.seal(reasoning, owner),
    });
    this.stream = stream;
    const accountId = this.#caller?.key.accountId;
    if (accountId !== undefined && request.wantsStream && request.wire.body['store'] !== false) {
      const responseId = `resp_${id}`;
      const input = this.input;
      this.inFlightId = responseId;
      this.#parts.inFlight?.add(responseId, {
        accountId,
        requestId: about.id,
        get input() {
          return named(input, responseId);
        },
        get soFar() {
          return stream.soFar;
        },
      });
    }
    return stream;
  }

  /**
   * Called once, with a closed response. The answer is charged by now, so it goes out whatever the store does. If the
   * store does not confirm the response in time, the answer says `store: false`.
   */
  protected async store(stream: ResponseStream, { id, request, note }: AnswerHead): Promise<void> {
    const { body } = request.wire;
    if (body['store'] === false || !this.#caller) return;
    const complete = {
      accountId: this.#caller.key.accountId,
      id: `resp_${id}`,
      previousResponseId: nonEmptyString(body['previous_response_id']),
      input: this.input,
      response: stream.stored,
      score: stream.score,
    };
    try {
      if ((await this.#parts.storage.store(complete)) === 'stored') return;
      note('its response was not stored before its end');
    } catch (error) {
      note('its response could not be stored', error);
    }
    stream.markUnstored();
  }

  /** The account and model that reasoning is sealed for; undefined if the caller has no access to the model. */
  #owner(model: string | undefined): SealOwner | undefined {
    const caller = this.#caller;
    if (!caller || model === undefined) return undefined;
    try {
      const { id } = this.#parts.inference.current().catalog.require(caller, model, this.surface);
      return { accountId: caller.key.accountId, model: id };
    } catch {
      // Inference checks the access again and reports the error.
      return undefined;
    }
  }
}

/** The input as items. A string is one user message. */
export function itemsOf(input: unknown): readonly unknown[] {
  if (typeof input !== 'string') return listOf(input);
  const message: WireObject = { type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] };
  return [message];
}
