import type { Caller } from '../../core/caller.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { isObject, listOf, type WireObject, wordOf } from '../../dialects/wire-value.ts';
import type { Score } from '../../dialects/responses/score.ts';
import type { ReasoningItem } from '../../dialects/responses/reasoning-item.ts';

/**
 * What the responses surface asks of whoever keeps responses. An implementation owns where they are kept, how long, and
 * the key thoughts are sealed with; the surface owns the wire.
 */
export interface ResponseKeeping {
  /**
   * Whether the response to a request will be kept that does not say `store: false`. Throws `invalid-request` where it
   * must be and cannot.
   */
  admits(asked: { readonly store: unknown; readonly bytes: number }): boolean;
  /**
   * The input the model is to see for a request that goes on from what is kept: for `previous_response_id` the earlier
   * input and output, oldest first, then the request's own items, one for one, each `item_reference` replaced by the item
   * itself.
   * Only called for requests that refer to something. Rejects with `invalid-request` for what is unknown, expired or
   * another account's, all alike: the code `previous_response_not_found`, or words that name the item's id.
   */
  resolve(asked: AskedState): Promise<readonly unknown[]>;
  /**
   * Keeps a response that is complete. Called once for each, before its terminal event or its body goes out, and not at
   * all with `store: false`; when it resolves, `resolve` finds it on every gateway. A rejection ends the answer with an
   * error, so that no client believes in a response that is not there.
   */
  keep(response: KeptResponse): Promise<void>;
  /**
   * Closes thoughts for the client to carry, readable only for this account and model; `undefined` where it cannot. What
   * is sealed begins with `sealedPrefix`, so that it never goes up to a provider.
   */
  seal(thoughts: readonly ReasoningItem[], owner: SealOwner): string | undefined;
  /** Opens what `seal` closed for the same owner; `undefined` for everything else, never an error. */
  unseal(sealed: string, owner: SealOwner): readonly ReasoningItem[] | undefined;
}

export interface AskedState {
  readonly caller: Caller;
  readonly previousResponseId: string | undefined;
  /** The request's own items as they were sent; a string is one message of the user. */
  readonly input: readonly unknown[];
}

export interface KeptResponse {
  readonly caller: Caller;
  readonly id: string;
  /** The catalog id of the model that answered. */
  readonly model: string;
  /** The response this one went on from. */
  readonly previousResponseId: string | undefined;
  /** The request's own items, references resolved, without those of earlier responses. */
  readonly input: readonly unknown[];
  /** The whole response object. Its items hold sealed thoughts, also where the client did not ask to see them. */
  readonly response: WireObject;
  /** How it was told as events, to be told so again. */
  readonly score: Score | undefined;
}

export interface SealOwner {
  readonly accountId: string;
  /** A catalog id. */
  readonly model: string;
}

/** Whether a request refers to anything that is kept. */
export function refersToKept(body: WireObject): boolean {
  return wordOf(body.previous_response_id) !== undefined || listOf(body.input).some(isReference);
}

/** Clients may leave the type of a reference out. */
export function isReference(item: unknown): boolean {
  if (!isObject(item)) return false;
  return item.type === 'item_reference' || ((item.type ?? null) === null && item.role === undefined && 'id' in item);
}

/** Keeps nothing, and says so to whoever refers to something. Thoughts are shown and not carried. */
export const keepsNothing: ResponseKeeping = {
  resolve: ({ previousResponseId }) =>
    Promise.reject(
      new GatewayError('invalid-request', {
        code: previousResponseId === undefined ? undefined : 'previous_response_not_found',
        detail:
          previousResponseId === undefined
            ? 'input refers to an item by its id, but responses are not kept here: send the item itself, which client libraries do with store: false.'
            : 'previous_response_id names a response that is not kept here: send the whole conversation as input.',
      }),
    ),
  admits: () => false,
  keep: () => Promise.resolve(),
  seal: () => undefined,
  unseal: () => undefined,
};
