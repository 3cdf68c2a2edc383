import type { StreamEvent } from '../chat/stream-event.ts';
import type { Usage } from '../chat/usage.ts';
import type { FinishEvent } from '../chat-completions/answer/stream-encoder.ts';
import { ContentEncoder } from '../content-encoder.ts';
import { listOf, objectOf, parsedJson, type WireObject } from '../wire-value.ts';
import { declaredTools } from './request/declared-tools.ts';
import { backgroundOpening, doneFrame, EventFrames, type EventCode, type EventLog } from './answer/event-log.ts';
import { ItemWriter } from './answer/item-writer.ts';
import { PassedAnswer } from './passed/passed-answer.ts';
import { type PassedEvent, passedFrame, renamedResponse, PassedScore } from './passed/passed-event.ts';
import { isBackground, type ResponsesEncoding, type ResponseState, responseObject } from './answer/response-object.ts';

export interface ResponseFailure {
  readonly code: string;
  readonly type: string;
  readonly message: string;
}

/** One response from its first event, always `response.created`, to its last. Events are numbered without gaps. */
export class ResponseStream {
  readonly #encoding: ResponsesEncoding;
  /** The log of its events, if the response may be replayed. */
  readonly #score: EventCode[] | undefined;
  readonly #passedScore = new PassedScore();
  readonly #frames: EventFrames;
  readonly #items: ItemWriter;
  readonly #content: ContentEncoder;
  #phase: 'new' | 'created' | 'in_progress' | 'items' | 'ended' = 'new';
  #finish: FinishEvent | undefined;
  #isUnstored = false;
  #usage: Usage | undefined;
  /** Whether its last event was sent. */
  isOver = false;
  /** The provider's events, if the provider uses the same format. */
  #passed: PassedAnswer | undefined;

  constructor(encoding: ResponsesEncoding) {
    const { id, body, seal, logprobs, now } = encoding;
    // The stored response and the sent response must have the same completion time.
    let completed: number | undefined;
    this.#encoding = { ...encoding, now: () => (completed ??= now()) };
    const isReplayed = body.stream === true && body.store !== false;
    this.#score = isReplayed ? (isBackground(encoding) ? [...backgroundOpening] : []) : undefined;
    if (isBackground(encoding)) this.#phase = 'items';
    this.#frames = new EventFrames(this.#score);
    this.#items = new ItemWriter({
      frames: this.#frames,
      id,
      names: declaredTools(body).names,
      seal,
      showsSealed: listOf(body.include).includes('reasoning.encrypted_content'),
      showsLogprobs: logprobs,
      opening: () => this.#opening(),
    });
    this.#content = new ContentEncoder(this.#items);
  }

  get isSaying(): boolean {
    return this.#phase === 'items';
  }

  /** Clients count events, not comments. Before the first item, it repeats the state of the response. */
  keepAlive(isQueued: boolean): string {
    if (this.#phase === 'items') return this.#frames.frame({ type: 'keepalive' });
    const status = isQueued && this.#phase !== 'in_progress' ? 'queued' : 'in_progress';
    const created = this.#createdFrame(status);
    if (status === 'in_progress') this.#phase = 'in_progress';
    return created + this.#lifecycle(status, status);
  }

  encode(batch: readonly StreamEvent[]): string {
    let text = '';
    for (const event of batch) text += this.#encodeEvent(event);
    return text;
  }

  completeItem(item: WireObject): string {
    return this.#items.completeBlock(item);
  }

  /** Ends all open items. The finish event must have been encoded. */
  close(): string {
    if (this.#phase === 'ended') return '';
    if (this.#passed?.terminal) {
      const frames = this.#opening() + this.#passAll(this.#passed.end(this.#usage));
      this.#phase = 'ended';
      return frames;
    }
    const rest = this.#content.end(this.#end().status === 'incomplete');
    const opening = this.#opening();
    this.#phase = 'ended';
    return rest + opening;
  }

  /** The response as the client receives it. Valid after `close`. */
  get shown(): WireObject {
    const passed = this.#passed?.terminal;
    if (!passed) return responseObject(this.#lastEncoding, { ...this.#end(), output: this.#items.shown });
    const text = JSON.stringify(objectOf(passed.fields.response) ?? {});
    return objectOf(parsedJson(renamedResponse(text, this.#lastEncoding))) ?? {};
  }

  /** The response as it is stored, including sealed reasoning that the client did not request. */
  get stored(): WireObject {
    if (this.#passed?.terminal) return this.shown;
    return responseObject(this.#encoding, { ...this.#end(), output: this.#items.stored });
  }

  /** The response as sent so far, and the log of its events. The log is undefined if the response is not replayed. */
  get soFar(): { readonly response: WireObject; readonly score: EventLog | undefined } {
    const last = this.#score?.at(-1);
    const status = last === 'q' || last === 'C' ? 'queued' : 'in_progress';
    const output = this.#passed?.soFar ?? this.#items.soFar;
    return { response: responseObject(this.#encoding, { status, output }), score: this.#score };
  }

  /** Including the terminal event of a closed response. Undefined unless it was streamed and stored. */
  get score(): EventLog | undefined {
    const score = this.#score;
    return score?.at(-1) === 'z' ? score : score && [...score, 'z'];
  }

  /** Its last event, and `shown`, then have `store: false`. */
  markUnstored(): void {
    this.#isUnstored = true;
  }

  done(): string {
    this.isOver = true;
    if (this.#passed?.terminal) return this.#passedFrame(this.#passed.terminal, 'z', this.#lastEncoding) + doneFrame;
    return this.#frames.frame({ type: `response.${this.#end().status}`, response: this.shown }) + doneFrame;
  }

  /** Returns the last events of a failed response. Open items stay open. */
  fail({ code, type, message }: ResponseFailure): string {
    this.isOver = true;
    const created = this.#createdFrame('in_progress');
    const error = this.#frames.frame({ type: 'error', error: { type, code, message, param: null } });
    const state = {
      status: 'failed',
      output: this.#passed?.done ?? this.#items.shown,
      error: { code, message },
    } as const;
    const response = responseObject(this.#encoding, state);
    return created + error + this.#frames.frame({ type: 'response.failed', response }) + doneFrame;
  }

  #encodeEvent(event: StreamEvent): string {
    switch (event.type) {
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'finish':
        if (event.choice === 0) this.#finish = event;
        if (event.breaksOff) this.#passed?.breakOff();
        return '';
      case 'verbatim':
        return this.#passOn(event.text);
      case 'usage-so-far':
      case 'anomaly':
        return '';
      default:
        return event.choice === 0 && !this.#passed ? this.#content.encode(event) : '';
    }
  }

  /** Only the order and numbers of events and the gateway's own fields of the response change. */
  #passOn(text: string): string {
    this.#passed ??= new PassedAnswer(this.#encoding);
    return this.#passAll(this.#passed.push(text));
  }

  #passAll(events: readonly PassedEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#passEvent(event);
    return frames;
  }

  #passEvent(event: PassedEvent): string {
    switch (event.type) {
      case 'response.created':
        if (this.#phase !== 'new') return '';
        this.#phase = 'created';
        return this.#passedFrame(event);
      case 'response.queued':
        return this.#phase === 'created' ? this.#passedFrame(event) : '';
      case 'response.in_progress':
        if (this.#phase !== 'created') return '';
        this.#phase = 'in_progress';
        return this.#passedFrame(event);
      default:
        return this.#opening() + this.#passedFrame(event);
    }
  }

  #passedFrame(event: PassedEvent, code?: EventCode, encoding = this.#encoding): string {
    const number = this.#frames.next(() => code ?? this.#passedScore.encode(event));
    return passedFrame(event, number, encoding);
  }

  /** The encoding of the last event, which knows whether the response is stored. */
  get #lastEncoding(): ResponsesEncoding {
    return this.#isUnstored ? { ...this.#encoding, body: { ...this.#encoding.body, store: false } } : this.#encoding;
  }

  #end(): Pick<ResponseState, 'status' | 'usage' | 'incompleteReason' | 'endsTurn'> {
    if (!this.#finish) throw new Error('The answer has no finish event.');
    const { reason, raw } = this.#finish;
    const usage = this.#usage;
    if (reason === 'length') return { status: 'incomplete', usage, incompleteReason: 'max_output_tokens' };
    if (reason === 'content-filter') return { status: 'incomplete', usage, incompleteReason: 'content_filter' };
    return { status: 'completed', usage, endsTurn: raw === 'pause_turn' ? false : undefined };
  }

  #createdFrame(status: 'queued' | 'in_progress'): string {
    if (this.#phase !== 'new') return '';
    this.#phase = 'created';
    return this.#lifecycle('created', status);
  }

  /** Items may come only after `response.in_progress`. */
  #opening(): string {
    if (this.#phase === 'items' || this.#phase === 'ended') return '';
    const created = this.#createdFrame('in_progress');
    const isInProgress = this.#phase === 'in_progress';
    this.#phase = 'items';
    return isInProgress ? created : created + this.#lifecycle('in_progress', 'in_progress');
  }

  #lifecycle(event: string, status: 'queued' | 'in_progress'): string {
    const response = responseObject(this.#encoding, { status, output: [] });
    const code = event === 'created' && status === 'queued' ? 'C' : undefined;
    return this.#frames.frame({ type: `response.${event}`, response }, code);
  }
}
