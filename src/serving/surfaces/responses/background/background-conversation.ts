import type { StoredContent } from '../stored-content.ts';
import type { Caller } from '../../../../core/caller.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { comment } from 'chat-formats/responses/answer/event-log.ts';
import type { ResponseFailure } from 'chat-formats/responses/encode-stream.ts';
import { isObject, objectOf, type WireObject } from 'chat-formats/wire-value.ts';
import type { JsonBody } from '../../../http/exchange.ts';
import type { AnswerEncoder } from '../../answer-stream.ts';
import type { AnswerHead } from '../../conversation.ts';
import { type ConversationParts, ResponseConversation } from '../response-conversation.ts';

/** The identity of a response, which is the same in each attempt to generate it. */
export interface ResponseIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The catalog id of the requested model. */
  readonly model: string;
}

/** What an attempt keeps of a response: complete, or as far as it came, with the reason. */
export interface KeptResponse {
  /** Undefined if the answer did not begin. */
  readonly content: StoredContent | undefined;
  readonly failure: ResponseFailure | undefined;
}

export function keptResponseIn(text: string): KeptResponse {
  return ownJson(text) as KeptResponse;
}

/** One attempt to generate a response in the background. It has no client; readers follow its events. */
export class BackgroundConversation extends ResponseConversation {
  readonly #identity: ResponseIdentity;
  readonly #end: () => void;
  #isComplete = false;

  constructor(parts: ConversationParts, identity: ResponseIdentity) {
    super(parts);
    this.#identity = identity;
    this.#end = () => {
      if (this.inFlightId !== undefined) parts.inFlight?.remove(this.inFlightId, () => '');
    };
  }

  /** Its answer is always read as events, because clients may stream it from any of them. */
  override resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    const value = isObject(body.value) ? { ...body.value, stream: true } : body.value;
    return super.resolve({ ...body, value }, caller);
  }

  override repliesWithJson(): boolean {
    return false;
  }

  protected override named(): ResponseIdentity {
    return this.#identity;
  }

  /** Readers get the last events from the stored response. */
  override encoder(about: AnswerHead): AnswerEncoder {
    return { ...super.encoder(about), done: () => '' };
  }

  /** The response is stored when its charge is committed. */
  protected override store(): Promise<void> {
    this.#isComplete = true;
    return Promise.resolve();
  }

  /** Comments: an event would have a number, which another attempt could not repeat. */
  override readonly keepAlive = (): string => {
    this.forward(comment);
    return '';
  };

  override errorFrame(): string {
    return '';
  }

  override over(): void {
    this.#end();
  }

  /** The attempt has ended, with this failure or completely. */
  kept(failure: ResponseFailure | undefined): string {
    const { stream, input } = this;
    const state =
      stream && (this.#isComplete && !failure ? { response: stream.stored, score: stream.score } : stream.soFar);
    const content = state && { input: input.filter(isObject), ...state };
    return JSON.stringify({ content, failure } satisfies KeptResponse);
  }
}

export function identityOf(id: string, opening: WireObject): ResponseIdentity {
  return { id, created: Number(opening['created_at']), model: String(opening['model']) };
}

export function openingIn(text: string): WireObject {
  return objectOf(ownJson(text)) ?? {};
}
