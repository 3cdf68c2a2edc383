import type { Caller } from '../../core/caller.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../dialects/wire-value.ts';
import type { EventLog } from '../../dialects/responses/answer/event-log.ts';
import type { ReasoningItem } from '../../dialects/responses/answer/reasoning-item.ts';
import type { StoredContent } from './stored-content.ts';

export interface ResponseStorage {
  /** Without `store: false`. Throws `invalid-request` if the response must be stored but cannot be. */
  admits(request: { readonly store: unknown; readonly bytes: number }): boolean;
  /**
   * The model input of a request with references. For `previous_response_id`: the earlier input and output, oldest
   * first, then the request's own items, one for one, with each `item_reference` replaced by its item. Called only for
   * requests with references. Rejects with `invalid-request` if one is unknown, expired or of another account, without
   * distinction: with the code `previous_response_not_found`, or with a message that contains the item's id.
   */
  resolve(request: ReferenceRequest): Promise<readonly unknown[]>;
  /**
   * Stores a complete response. Called once per response, before its final event or its body goes out; never with
   * `store: false`. After it resolves, `resolve` finds the response on every gateway. A rejection ends the answer with
   * an error, so that no client relies on a missing response.
   */
  store(response: CompleteResponse): Promise<void>;
  /**
   * Seals reasoning for the client to carry, readable only for this account and model; undefined if it cannot. The
   * result begins with `sealedPrefix`, so that it is never sent to a provider.
   */
  seal(reasoning: readonly ReasoningItem[], owner: SealOwner): string | undefined;
  /** Opens a result of `seal` for the same owner; undefined for everything else. Never throws. */
  unseal(sealed: string, owner: SealOwner): readonly ReasoningItem[] | undefined;
  find(accountId: string, id: string): Promise<StoredContent | undefined>;
  /** Resolves with true if it existed. */
  remove(accountId: string, id: string): Promise<boolean>;
}

export interface ReferenceRequest {
  readonly caller: Caller;
  readonly previousResponseId: string | undefined;
  /** The request's own items as sent; a string is one user message. */
  readonly input: readonly unknown[];
}

export interface CompleteResponse {
  readonly caller: Caller;
  readonly id: string;
  readonly previousResponseId: string | undefined;
  /** The request's own items, references resolved, without those of earlier responses. */
  readonly input: readonly unknown[];
  /** The complete response object. Its items contain sealed reasoning even if the client did not request it. */
  readonly response: WireObject;
  /** The log of its events, for an exact replay. */
  readonly score: EventLog | undefined;
}

export interface SealOwner {
  readonly accountId: string;
  /** A catalog id. */
  readonly model: string;
}

export function refersToStored(body: WireObject): boolean {
  return nonEmptyString(body.previous_response_id) !== undefined || listOf(body.input).some(isReference);
}

/** Clients may omit the type of a reference. */
export function isReference(item: unknown): boolean {
  if (!isObject(item)) return false;
  return item.type === 'item_reference' || ((item.type ?? null) === null && item.role === undefined && 'id' in item);
}
