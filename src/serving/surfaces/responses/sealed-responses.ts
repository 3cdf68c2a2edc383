import type { Caller } from '../../../core/caller.ts';
import type { EventLog } from 'chat-formats/responses/answer/event-log.ts';
import type { SecretVault } from '../../../platform/secrets/secret-vault.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { isObject, listOf, nonEmptyString, objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';
import type { ResponseKeeper, Storing } from '../../../work/responses/response-keeper.ts';
import {
  deleteResponse,
  responseChain,
  type ResponseLink,
  responsesOfItems,
  storedResponses,
} from '../../../work/responses/stored-responses.ts';
import type { Store } from '../../../platform/store/store.ts';
import {
  decodeContent,
  encodeContent,
  isFindable,
  isReference,
  named,
  outputOf,
  responseOfItem,
  type StoredContent,
} from './stored-content.ts';
import { compactItems, wantsSummary } from './summary.ts';
import type { ReasoningItem } from 'chat-formats/responses/reasoning-item.ts';

interface StorageParts {
  readonly store: Store;
  readonly keeper: Pick<ResponseKeeper, 'keep'>;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly settings: () => StorageSettings;
}

interface StorageSettings {
  /** Milliseconds; 0 stores nothing. */
  readonly retention: number;
  readonly responseBytesMax: number;
}

const linksMax = 1000;
/** Maximum total size of the responses that one request references. */
const conversationBytesMax = 64 * 1024 * 1024;
const referencesMax = 1000;
const sealedPrefix = 'gw1.';
/** Above the reasoning of any model. A client sends it back with every request. */
const sealedBytesMax = 4 * 1024 * 1024;

interface ReferenceRequest {
  readonly caller: Caller;
  readonly previousResponseId: string | undefined;
  /** The request's own items as sent; a string is one user message. */
  readonly input: readonly unknown[];
}

interface CompleteResponse {
  readonly accountId: string;
  readonly id: string;
  readonly previousResponseId: string | undefined;
  /** The request's own items, references resolved, without those of earlier responses. */
  readonly input: readonly unknown[];
  /** The complete response object. Its items contain sealed reasoning even if the client did not request it. */
  readonly response: WireObject;
  /** The log of its events, for an exact replay. */
  readonly score?: EventLog | undefined;
  readonly opening?: WireObject | undefined;
  readonly isCut?: boolean | undefined;
}

export interface SealOwner {
  readonly accountId: string;
  /** A catalog id. */
  readonly model: string;
}

export type ResponseStorage = Pick<
  SealedResponses,
  'admits' | 'resolve' | 'store' | 'seal' | 'unseal' | 'find' | 'remove'
>;

/** Stores responses sealed for their account, for the configured retention. */
export class SealedResponses {
  readonly #parts: StorageParts;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  /** Without `store: false`. Throws `invalid-request` if the response must be stored but cannot be. */
  admits({ store: wanted, bytes }: { readonly store: unknown; readonly bytes: number }): boolean {
    const { retention, responseBytesMax } = this.#parts.settings();
    if (retention === 0 && wanted === true)
      throw invalid('store is true, but responses are not stored here: send store: false.');
    if (retention > 0 && bytes > responseBytesMax) throw tooLarge(responseBytesMax);
    return retention > 0;
  }

  /**
   * The model input of a request with references. For `previous_response_id`: the earlier input and output, oldest
   * first, then the request's own items, one for one, with each `item_reference` replaced by its item. Rejects with
   * `invalid-request` if one is unknown, expired or of another account, without distinction: with the code
   * `previous_response_not_found`, or with a message that contains the item's id.
   */
  async resolve({ caller, previousResponseId, input }: ReferenceRequest): Promise<readonly unknown[]> {
    const { accountId } = caller.key;
    const { retention } = this.#parts.settings();
    if (retention === 0) throw notStored(previousResponseId);
    const earlier = previousResponseId === undefined ? [] : await this.#history(accountId, previousResponseId);
    const known = new Map(earlier.map((item) => [nonEmptyString(item['id']) ?? '', item]));
    const missing = input.flatMap((item) => referredTo(item, known));
    const found = missing.length === 0 ? new Map<string, WireObject>() : await this.#items(accountId, missing);
    const own = input.map((item) => {
      if (!isObject(item) || !isReference(item)) return item;
      const id = nonEmptyString(item['id']) ?? '';
      const referenced = known.get(id) ?? found.get(id);
      if (!referenced) throw invalid(`Item with id '${id.slice(0, idShownMax)}' not found: send the item itself.`);
      return referenced;
    });
    return [...earlier, ...own];
  }

  /**
   * Called once per response, before its final event or its body goes out; never with `store: false`. After it
   * resolves with `stored`, `resolve` finds the response on every gateway. Rejects if it will never be stored, with
   * `invalid-request` if it is too large.
   */
  async store(complete: CompleteResponse): Promise<Storing> {
    const { accountId, id, previousResponseId, input, response, score, opening, isCut } = complete;
    const { keeper, vault, clock, settings } = this.#parts;
    const { responseBytesMax, retention } = settings();
    if (retention === 0) return 'stored';
    const content = { input: named(input, id), response };
    const scored = encodeContent({ ...content, score, opening, isCut });
    // If it is too large with its event log, store it without.
    const text = Buffer.byteLength(scored) > responseBytesMax ? encodeContent(content) : scored;
    if (Buffer.byteLength(text) > responseBytesMax) throw tooLarge(responseBytesMax);
    const ids = [...outputOf(content), ...content.input].flatMap((item) => nonEmptyString(item['id']) ?? []);
    return keeper.keep({
      id,
      accountId,
      previousId: previousResponseId,
      createdAt: clock.now(),
      sealed: storedResponses.seal(vault, { accountId, id }, text),
      itemIds: [...new Set(ids)].filter((each) => isFindable(each) && responseOfItem(each) === undefined),
    });
  }

  /**
   * Seals reasoning for the client to carry, readable only for this account and model; undefined if it cannot. The
   * result begins with a prefix of the gateway, so that it is never sent to a provider.
   */
  seal(reasoning: readonly ReasoningItem[], owner: SealOwner): string | undefined {
    const text = JSON.stringify({ thoughts: reasoning });
    if (Buffer.byteLength(text) > sealedBytesMax) return undefined;
    return sealedPrefix + this.#parts.vault.seal(nameOf(owner), text);
  }

  /** Opens a result of `seal` for the same owner; undefined for everything else. Never throws. */
  unseal(sealed: string, owner: SealOwner): readonly ReasoningItem[] | undefined {
    if (!sealed.startsWith(sealedPrefix) || sealed.length > 2 * sealedBytesMax) return undefined;
    const opened = this.#parts.vault.open(nameOf(owner), sealed.slice(sealedPrefix.length));
    if (!opened.ok) return undefined;
    return listOf(objectOf(parsedJson(opened.secret))?.['thoughts']) as readonly ReasoningItem[];
  }

  async find(accountId: string, id: string): Promise<StoredContent | undefined> {
    return isFindable(id) ? (await this.#contents(accountId, [id])).get(id) : undefined;
  }

  /** Resolves with true if it existed. */
  async remove(accountId: string, id: string): Promise<boolean> {
    return isFindable(id) && (await deleteResponse(this.#parts.store, accountId, id));
  }

  async #history(accountId: string, id: string): Promise<readonly WireObject[]> {
    const links = isFindable(id)
      ? await responseChain(this.#parts.store, { id, linksMax, ...this.#about(accountId) })
      : [];
    refuseBroken(links);
    const found = await this.#contents(
      accountId,
      links.map((link) => link.id),
    );
    let earlierItems: readonly WireObject[] = [];
    for (const link of links.toReversed()) {
      const content = found.get(link.id);
      // It was deleted between the two queries.
      if (!content) throw previousNotFound('an earlier response of the conversation is no longer stored');
      earlierItems = appendOutput([...earlierItems, ...content.input], outputOf(content));
    }
    return earlierItems;
  }

  async #items(accountId: string, itemIds: readonly string[]): Promise<ReadonlyMap<string, WireObject>> {
    if (itemIds.length > referencesMax)
      throw invalid(`input references more than ${referencesMax} items: send some of them as full items.`);
    const ids = itemIds.filter(isFindable);
    const foreign = await responsesOfItems(this.#parts.store, accountId, ids);
    const responseIds = new Set(ids.flatMap((id) => foreign.get(id) ?? responseOfItem(id) ?? []));
    const found = [...(await this.#contents(accountId, [...responseIds])).values()];
    const all = found.flatMap((content) => [...content.input, ...outputOf(content)]);
    return new Map(all.map((item) => [nonEmptyString(item['id']) ?? '', item]));
  }

  async #contents(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredContent>> {
    const { store, vault } = this.#parts;
    const rows = await storedResponses.find(store, { ids, ...this.#about(accountId) });
    return new Map(
      rows.map((row) => {
        const opened = storedResponses.open(vault, row);
        if (!opened.ok) throw new Error(`a stored response cannot be decrypted: it is ${opened.reason}`);
        return [row.id, decodeContent(opened.secret)];
      }),
    );
  }

  #about(accountId: string): { readonly accountId: string; readonly keepMs: number } {
    return { accountId, keepMs: this.#parts.settings().retention };
  }
}

/** Appends the output. A summary replaces the items before it. */
function appendOutput(before: readonly WireObject[], output: readonly WireObject[]): readonly WireObject[] {
  const summary = wantsSummary(before) ? output.find(({ type }) => type === 'compaction') : undefined;
  return summary ? compactItems(before, summary) : [...before, ...output];
}

/** Client ids can have any length. */
const idShownMax = 128;

function referredTo(item: unknown, known: ReadonlyMap<string, unknown>): readonly string[] {
  if (!isObject(item) || !isReference(item)) return [];
  const id = nonEmptyString(item['id']) ?? '';
  return known.has(id) ? [] : [id];
}

function refuseBroken(links: readonly ResponseLink[]): void {
  const oldest = links.at(-1);
  if (!oldest) throw previousNotFound('it is unknown, has not ended, was deleted or has expired');
  if (links.length >= linksMax) throw previousNotFound(`the conversation has more than ${linksMax} responses`);
  if (oldest.previousId !== undefined)
    throw previousNotFound('an earlier response of the conversation is no longer stored');
  if (links.reduce((sum, { bytes }) => sum + bytes, 0) > conversationBytesMax) {
    throw previousNotFound(`the conversation is larger than ${conversationBytesMax} bytes`);
  }
}

function previousNotFound(why: string): GatewayError {
  return new GatewayError('invalid-request', {
    code: 'previous_response_not_found',
    detail: `previous_response_id names a response that cannot be continued: ${why}. Send the whole conversation as input.`,
  });
}

function notStored(previousResponseId: string | undefined): GatewayError {
  if (previousResponseId !== undefined) return previousNotFound('responses are not stored here');
  return invalid(
    'input references an item by its id, but responses are not stored here: send the item itself, which client libraries do with store: false.',
  );
}

function tooLarge(bytesMax: number): GatewayError {
  return invalid(
    `The response with its input is larger than ${bytesMax} bytes, which is too large to be stored: send store: false.`,
  );
}

export function invalid(detail: string): GatewayError {
  return new GatewayError('invalid-request', { detail });
}

function nameOf({ accountId, model }: SealOwner): string {
  return `thought ${accountId} ${model}`;
}
