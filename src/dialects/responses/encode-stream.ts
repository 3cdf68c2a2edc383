import type { StreamEvent } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import type { FinishEvent } from '../chat-completions/stream-encoder.ts';
import { ContentEncoder } from '../content-encoder.ts';
import { listOf, objectOf, parsedJson, type WireObject } from '../wire-value.ts';
import { declaredTools } from './declared-tools.ts';
import { doneFrame, EventFrames } from './event-frames.ts';
import { ItemWriter } from './item-writer.ts';
import { PassedAnswer } from './passed-answer.ts';
import { type PassedEvent, passedFrame, renamedResponse } from './passed-event.ts';
import { PassedScore } from './passed-score.ts';
import { type ResponsesEncoding, type ResponseState, responseObject } from './response-object.ts';
import type { EventCode, Score } from './score.ts';

/** What a client is told of a failure. */
export interface ResponseFailure {
  /** The word clients act upon. */
  readonly code: string;
  readonly type: string;
  readonly message: string;
}

/**
 * One response from its first event to its last: while it waits, while it is made, when it is done and when it fails.
 * Nothing comes before `response.created`, and every event has the next number.
 */
export class ResponseStream {
  readonly #encoding: ResponsesEncoding;
  /** How it is told, if it is to be told again. */
  readonly #score: EventCode[] | undefined;
  readonly #passedScore = new PassedScore();
  readonly #frames: EventFrames;
  readonly #items: ItemWriter;
  readonly #content: ContentEncoder;
  #phase: 'unsaid' | 'created' | 'in_progress' | 'saying' | 'ended' = 'unsaid';
  #finish: FinishEvent | undefined;
  #usage: Usage | undefined;
  #isOver = false;
  /** What a provider of the same format sent, if it is such a one. */
  #passed: PassedAnswer | undefined;

  constructor(encoding: ResponsesEncoding) {
    const { id, body, seal, logprobs, now } = encoding;
    // It is kept and told with the same time, whatever keeping takes.
    let completed: number | undefined;
    this.#encoding = { ...encoding, now: () => (completed ??= now()) };
    this.#score = body.stream === true && body.store !== false ? [] : undefined;
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

  /** Whether items have begun to come. */
  get isSaying(): boolean {
    return this.#phase === 'saying';
  }

  /** Whether its last event was told. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A sign of life: clients count events, and no comments. What is said of a response's state comes before its items. */
  signOfLife(isQueued: boolean): string {
    if (this.#phase === 'saying') return this.#frames.frame('keepalive', {});
    const status = isQueued && this.#phase !== 'in_progress' ? 'queued' : 'in_progress';
    const created = this.#created(status);
    if (status === 'in_progress') this.#phase = 'in_progress';
    return created + this.#lifecycle(status, status);
  }

  encode(batch: readonly StreamEvent[]): string {
    let text = '';
    for (const event of batch) text += this.#one(event);
    return text;
  }

  /** An item that comes whole. */
  say(item: WireObject): string {
    return this.#items.whole(item);
  }

  /** Ends what is open. The finish must have come. */
  close(): string {
    if (this.#phase === 'ended') return '';
    if (this.#passed?.terminal) {
      const told = this.#opening() + this.#tell(this.#passed.end(this.#usage));
      this.#phase = 'ended';
      return told;
    }
    const rest = this.#content.end(this.#end().status === 'incomplete');
    const begun = this.#opening();
    this.#phase = 'ended';
    return rest + begun;
  }

  /** The response as its client sees it, once it is closed. */
  get shown(): WireObject {
    if (this.#passed?.terminal) return passedResponse(this.#passed.terminal, this.#encoding);
    return responseObject(this.#encoding, { ...this.#end(), output: this.#items.shown });
  }

  /** The response as it is kept: with what the client did not ask to carry. */
  get kept(): WireObject {
    if (this.#passed?.terminal) return this.shown;
    return responseObject(this.#encoding, { ...this.#end(), output: this.#items.kept });
  }

  /** The response as far as it was told, and how; nothing of the latter where nobody is to be told again. */
  get soFar(): { readonly response: WireObject; readonly score: Score | undefined } {
    const last = this.#score?.at(-1);
    const status = last === 'q' || last === 'C' ? 'queued' : 'in_progress';
    const output = this.#passed?.soFar ?? this.#items.soFar;
    return { response: responseObject(this.#encoding, { status, output }), score: this.#score };
  }

  /** How a response that is closed was told, its terminal event included; nothing of one that was not told as events. */
  get score(): Score | undefined {
    const score = this.#score;
    return score?.at(-1) === 'z' ? score : score && [...score, 'z'];
  }

  /** The last events of a response that is closed. */
  done(): string {
    this.#isOver = true;
    if (this.#passed?.terminal) return this.#passedFrame(this.#passed.terminal, 'z') + doneFrame;
    return this.#frames.frame(`response.${this.#end().status}`, { response: this.shown }) + doneFrame;
  }

  /** The last events of a response that failed: what was open stays open. */
  fail({ code, type, message }: ResponseFailure): string {
    this.#isOver = true;
    const created = this.#created('in_progress');
    const error = this.#frames.frame('error', { error: { type, code, message, param: null } });
    const state = {
      status: 'failed',
      output: this.#passed?.done ?? this.#items.shown,
      error: { code, message },
    } as const;
    const response = responseObject(this.#encoding, state);
    return created + error + this.#frames.frame('response.failed', { response }) + doneFrame;
  }

  #one(event: StreamEvent): string {
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

  /** What came in this format goes out as it came, but for its order, numbers and what is ours of the response. */
  #passOn(text: string): string {
    this.#passed ??= new PassedAnswer(this.#encoding);
    return this.#tell(this.#passed.push(text));
  }

  #tell(events: readonly PassedEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#pass(event);
    return frames;
  }

  #pass(event: PassedEvent): string {
    switch (event.type) {
      case 'response.created':
        if (this.#phase !== 'unsaid') return '';
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

  #passedFrame(event: PassedEvent, mark?: EventCode): string {
    const number = this.#frames.next(() => mark ?? this.#passedScore.mark(event));
    return passedFrame(event, number, this.#encoding);
  }

  #end(): Pick<ResponseState, 'status' | 'usage' | 'incompleteReason' | 'endsTurn'> {
    if (!this.#finish) throw new Error('The answer has no finish.');
    const { reason, raw } = this.#finish;
    const usage = this.#usage;
    if (reason === 'length') return { status: 'incomplete', usage, incompleteReason: 'max_output_tokens' };
    if (reason === 'content-filter') return { status: 'incomplete', usage, incompleteReason: 'content_filter' };
    return { status: 'completed', usage, endsTurn: raw === 'pause_turn' ? false : undefined };
  }

  #created(status: 'queued' | 'in_progress'): string {
    if (this.#phase !== 'unsaid') return '';
    this.#phase = 'created';
    return this.#lifecycle('created', status);
  }

  /** Items come behind the word that the response is being made. */
  #opening(): string {
    if (this.#phase === 'saying' || this.#phase === 'ended') return '';
    const created = this.#created('in_progress');
    const isSaid = this.#phase === 'in_progress';
    this.#phase = 'saying';
    return isSaid ? created : created + this.#lifecycle('in_progress', 'in_progress');
  }

  #lifecycle(event: string, status: 'queued' | 'in_progress'): string {
    const response = responseObject(this.#encoding, { status, output: [] });
    const mark = event === 'created' && status === 'queued' ? 'C' : undefined;
    return this.#frames.frame(`response.${event}`, { response }, mark);
  }
}

function passedResponse({ fields }: PassedEvent, encoding: ResponsesEncoding): WireObject {
  return objectOf(parsedJson(renamedResponse(JSON.stringify(objectOf(fields.response) ?? {}), encoding))) ?? {};
}
