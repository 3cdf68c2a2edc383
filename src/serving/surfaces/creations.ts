import type { Pepper } from '../../platform/secrets/key-digest.ts';
import { isWritten, requireClientKey, retriedMs, type WriteClaim, writeOnce } from '../../money/accounts/write-once.ts';
import { requireSpendable } from '../../money/billing/spendable.ts';
import type { Caller } from '../../core/caller.ts';
import type { Failpoint } from '../../core/failpoint.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Exchange } from '../http/exchange.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';
import { retryTerms } from './replies/replays.ts';

interface CreationParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  readonly failpoint: Failpoint;
}

/** A request that creates a file, a batch or a response in the background. */
export interface Creation {
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Of everything that the request sent. Undefined as long as it arrives. */
  readonly digest?: string;
}

/**
 * Files, batches and responses in the background that clients create. A request that repeats another one, at any process, creates nothing: it gets
 * what the first one created. The creation and the note of it are one commit.
 */
export class Creations {
  readonly #parts: CreationParts;

  constructor(parts: CreationParts) {
    this.#parts = parts;
  }

  /** Whether an earlier request has created it. Otherwise rejects if the key has no money to spend. */
  async admit(creation: Creation): Promise<'first' | 'repeated'> {
    const claim = this.#claimOf(creation);
    if (claim && (await isWritten(this.#parts, claim))) return 'repeated';
    await requireSpendable(this.#parts.store, creation.caller.key, this.#parts.clock.now());
    return 'first';
  }

  /** Creates it in one transaction, unless an earlier request has. Resolves with the id that `create` returned then. */
  async once(creation: Creation, create: (store: Store) => Promise<string>): Promise<string> {
    const { store, failpoint } = this.#parts;
    const { exchange } = creation;
    const claim = this.#claimOf(creation);
    const id = await store.transaction((tx) => {
      const inside = joined(store, tx);
      if (!claim) return create(inside);
      // Its client has given up and may already have sent the retry, which would be a second creation.
      if (claim.isFirst === true) exchange.gone.throwIfAborted();
      return writeOnce({ ...this.#parts, store: inside }, claim, () => create(inside));
    });
    failpoint('reply.created');
    return id;
  }

  #claimOf({ caller, exchange, digest }: Creation): WriteClaim | undefined {
    const terms = retryTerms(exchange);
    const { keyId, accountId: owner } = caller.key;
    const named = (name: string): string => [keyId, caller.site, exchange.path, name].join(' ');
    if (terms?.idempotencyKey !== undefined) {
      return { owner, key: named(requireClientKey(terms.idempotencyKey)), request: digest ?? '' };
    }
    if (!terms || digest === undefined) return undefined;
    const since = this.#parts.clock.now() - retriedMs;
    return { owner, key: named(`counted ${digest}`), request: digest, since, isFirst: !terms.isRetry };
  }
}
