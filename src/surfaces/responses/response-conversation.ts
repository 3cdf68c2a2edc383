import type { Catalog } from '../../catalog/catalog.ts';
import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from '../../core/chat-request.ts';
import type { Clock } from '../../core/clock.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { decodeResponsesRequest } from '../../dialects/responses/decode-request.ts';
import { ResponseStream } from '../../dialects/responses/encode-stream.ts';
import { comment } from '../../dialects/responses/event-frames.ts';
import { isObject, listOf, type WireObject, wordOf } from '../../dialects/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { AnswerEncoder } from '../answer-stream.ts';
import { plainValue } from '../exact-body.ts';
import { bearerSecret } from '../caller.ts';
import type { AnswerHead, ConversationFormat, ReplyHead } from '../conversation.ts';
import { isToldInStream, responseFailure } from './failure.ts';
import { named } from './kept-content.ts';
import { refersToKept, type ResponseKeeping, type SealOwner } from './response-keeping.ts';
import type { ResponsesUnderWay } from './responses-under-way.ts';
import { askForSummary, summariseBytes, summaryItem, wantsSummary, wordsOf } from './summary.ts';

export interface ConversationParts {
  readonly clock: Clock;
  readonly keeping: ResponseKeeping;
  readonly catalog: () => Catalog;
  /** Where those find the response who want to follow it. */
  readonly underWay?: ResponsesUnderWay | undefined;
}

/** Clients give up after five minutes without an event; comments are none. */
const silenceMaxMs = 120_000;

/** What those hear who follow a response that nobody waits for any more. */
const clientLeft = {
  code: 'server_error',
  type: 'gateway_error',
  message: 'The client that asked for this response has left, so that it was not completed.',
};

/** One request of the responses format on its way: what it refers to, and its response from the first event to the last. */
export class ResponseConversation implements ConversationFormat {
  readonly #parts: ConversationParts;
  readonly surface = 'openai-response';
  readonly secret = bearerSecret;
  #caller: Caller | undefined;
  /** The request's own items, before what it goes on from was put in front of them. */
  #input: readonly unknown[] = [];
  /** The conversation that is made short instead of gone on with, where that is asked. */
  #madeShort: readonly unknown[] | undefined;
  /** What the client sent, where something else is asked of the model. */
  #said: WireObject | undefined;
  #stream: ResponseStream | undefined;
  /** The response's own id, where others can follow it. */
  #id: string | undefined;
  #lastEventMs = 0;
  #isEnding = false;
  /** The ends of what was open, which go out with the end of the response, whichever that is. */
  #closing = '';

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    this.#caller = caller;
    if (!isObject(body.value)) return body;
    const value = this.#storing(body.value, body.bytes);
    this.#input = itemsOf(value.input);
    const resolved = await this.#referredTo({ ...body, value }, value, caller);
    return wantsSummary(this.#input) ? this.#shortening(resolved, value) : resolved;
  }

  async #referredTo(body: JsonBody, value: WireObject, caller: Caller): Promise<JsonBody> {
    if (!refersToKept(value)) return body;
    const previousResponseId = wordOf(value.previous_response_id);
    const input = await this.#parts.keeping.resolve({ caller, previousResponseId, input: this.#input });
    this.#input = input.slice(input.length - this.#input.length);
    // What was said before counts like what is said now.
    const bytes = body.bytes + Buffer.byteLength(JSON.stringify(input));
    return { ...body, bytes, value: { ...value, input } };
  }

  #shortening(body: JsonBody, value: WireObject): JsonBody {
    const resolved = body.value as WireObject;
    this.#madeShort = itemsOf(resolved.input).slice(0, -1);
    this.#said = value;
    return { ...body, bytes: body.bytes + summariseBytes, value: askForSummary(resolved, this.#madeShort) };
  }

  /** The conversation that is made short; nothing where it is gone on with. */
  get madeShort(): readonly unknown[] | undefined {
    return this.#madeShort;
  }

  /** What a model made of a conversation, for whoever asks the same model to go on with it. */
  summaryOf(
    events: readonly StreamEvent[],
    { id, model }: { readonly id: string; readonly model: string },
  ): WireObject {
    const owner = this.#owner(model);
    return summaryItem(id, wordsOf(events), (thoughts) => owner && this.#parts.keeping.seal(thoughts, owner));
  }

  /** The body as far as it says whether the response is kept, as nobody has to guess then. */
  #storing(value: WireObject, bytes: number): WireObject {
    if (value.store === false || this.#parts.keeping.admits({ store: value.store, bytes })) return value;
    return { ...value, store: false };
  }

  decode(body: JsonBody): ChatRequest {
    const { value, bytes } = body;
    const owner = this.#owner(isObject(value) ? wordOf(value.model) : undefined);
    const unseal = (sealed: string) => owner && this.#parts.keeping.unseal(sealed, owner);
    return decodeResponsesRequest(plainValue(body), { body: value, bytes, unseal });
  }

  answersWhole(request: ChatRequest): boolean {
    return !request.wantsStream;
  }

  encoder(about: AnswerHead): AnswerEncoder {
    const stream = this.#streamOf({ ...about, model: about.answer.model });
    if (this.#madeShort) return this.#shortEncoder(stream, about);
    return {
      encode: (batch) => this.#heard(stream.encode(batch)),
      settled: () => {
        this.#isEnding = true;
        this.#closing = this.#told(stream.close());
        return this.#keep(stream, about);
      },
      done: () => this.#closing + this.#last(stream.done()),
    };
  }

  /** Nothing of a summary is shown while it is made: it is one item, which comes whole. */
  #shortEncoder(stream: ResponseStream, about: AnswerHead): AnswerEncoder {
    const events: StreamEvent[] = [];
    return {
      encode: (batch) => {
        for (const event of batch) if (event.type !== 'verbatim') events.push(event);
        return '';
      },
      settled: () => {
        const item = this.#shortItem(stream, events, about);
        this.#isEnding = true;
        this.#closing = this.#told(item + stream.close());
        return this.#keep(stream, about);
      },
      done: () => this.#closing + this.#last(stream.done()),
    };
  }

  #shortItem(stream: ResponseStream, events: readonly StreamEvent[], { id, request }: AnswerHead): string {
    stream.encode(events.filter(({ type }) => type === 'finish' || type === 'usage'));
    return stream.say(this.summaryOf(events, { id, model: request.model }));
  }

  async encodeWhole(events: readonly StreamEvent[], about: AnswerHead): Promise<string> {
    const stream = this.#streamOf({ ...about, model: about.answer.model });
    if (this.#madeShort) this.#shortItem(stream, events, about);
    else stream.encode(events);
    stream.close();
    await this.#keep(stream, about);
    return JSON.stringify(stream.shown);
  }

  /** Before the first item the state of the response is told again and again; afterwards comments do for a while. */
  readonly keepAlive = (about: ReplyHead): string => {
    if (this.#isEnding) return this.#told(comment);
    const stream = this.#streamOf(about);
    const isSilent = this.#parts.clock.elapsed() - this.#lastEventMs >= silenceMaxMs;
    return stream.isSaying && !isSilent ? this.#told(comment) : this.#heard(stream.signOfLife(about.isWaiting));
  };

  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string {
    const stream = this.#streamOf(about);
    return this.#closing + this.#last(stream.fail(responseFailure(error, requestId, supportEmail)));
  }

  isToldInStream(error: unknown): boolean {
    return isToldInStream(error);
  }

  #heard(frames: string): string {
    if (frames !== '') this.#lastEventMs = this.#parts.clock.elapsed();
    return this.#told(frames);
  }

  /** Those who follow the response hear what its client hears. */
  #told(frames: string): string {
    if (this.#id !== undefined) this.#parts.underWay?.tell(this.#id, frames);
    return frames;
  }

  /** Whoever has seen the end of a response finds it as it is kept, or not at all, whatever is still to be written of it. */
  #last(frames: string): string {
    this.#told(frames);
    this.over();
    return frames;
  }

  /** The reply is over, whether or not it was told to its end. */
  over(): void {
    const stream = this.#stream;
    if (this.#id === undefined || !stream) return;
    this.#parts.underWay?.remove(this.#id, () => (stream.isOver ? '' : stream.fail(clientLeft)));
  }

  #streamOf({ id, created, request, model = request.model }: Omit<ReplyHead, 'isWaiting'>): ResponseStream {
    const { clock, keeping } = this.#parts;
    const owner = this.#owner(model);
    if (this.#stream) return this.#stream;
    const stream = new ResponseStream({
      id,
      created,
      model,
      body: this.#said ?? request.wire.body,
      now: () => Math.floor(clock.now() / 1000),
      logprobs: request.logprobs,
      seal: (thoughts) => owner && keeping.seal(thoughts, owner),
    });
    this.#stream = stream;
    const accountId = this.#caller?.key.accountId;
    if (accountId !== undefined && request.wantsStream && request.wire.body['store'] !== false) {
      const responseId = `resp_${id}`;
      const input = this.#input;
      this.#id = responseId;
      this.#parts.underWay?.add(responseId, {
        accountId,
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

  /** Nothing is written for a client that says so. */
  #keep(stream: ResponseStream, { id, answer, request }: AnswerHead): Promise<void> | undefined {
    const { body } = request.wire;
    if (body['store'] === false || !this.#caller) return undefined;
    return this.#parts.keeping.keep({
      caller: this.#caller,
      id: `resp_${id}`,
      model: answer.model,
      previousResponseId: wordOf(body['previous_response_id']),
      input: this.#input,
      response: stream.kept,
      score: stream.score,
    });
  }

  /** Whose thoughts are sealed; nobody's where the model is none of the caller's. */
  #owner(asked: string | undefined): SealOwner | undefined {
    const caller = this.#caller;
    if (!caller || asked === undefined) return undefined;
    try {
      const { id } = this.#parts.catalog().require(caller, asked, this.surface);
      return { accountId: caller.key.accountId, model: id };
    } catch {
      // Whether the caller may use the model is asked again where it matters, and answered there.
      return undefined;
    }
  }
}

/** A string is one message of the user. */
export function itemsOf(input: unknown): readonly unknown[] {
  if (typeof input !== 'string') return listOf(input);
  const message: WireObject = { type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] };
  return [message];
}
