import type { Kysely } from 'kysely';
import { assert, InvariantViolation } from 'chat-formats/assert.ts';
import type { ErrorCase } from 'chat-formats/error-table.ts';
import type { ContextOverflow, ErrorDetails } from 'chat-formats/gateway-error.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { databaseNow } from '../store/engine.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/** The claim of one process to generate a reply, for all requests in any process that share it. */
export interface ReplyClaim {
  /** Hash of the API key, the endpoint and the `Idempotency-Key`; the same in every process. */
  readonly scope: string;
  /** The id of the request that the reply answers. */
  readonly id: string;
  readonly process: string;
  /** Hash of the request's body. */
  readonly digest: string;
}

/** How a reply ended, with what a replay needs. `untellable`: it goes on, but no other request can join it. */
export type ReplyEnding =
  | ReplyForm
  /** The stream broke off; its last piece contains the error in the client's format. */
  | ({ readonly kind: 'broken' } & StoredError)
  /** The reply failed before any output. */
  | ({ readonly kind: 'failed' } & StoredError)
  | { readonly kind: 'untellable' };

/**
 * How a reply is sent, and how a complete one ends. A stream with a content type, and a body with `isBytes`, have one
 * byte per character. They are not written to the store.
 */
export type ReplyForm =
  | { readonly kind: 'stream'; readonly contentType?: string }
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly contentType: string;
      readonly isBytes?: boolean;
      /** More headers, as a flat list of names and values. */
      readonly headers?: readonly string[] | undefined;
    };

export interface StoredError {
  readonly case: ErrorCase;
  readonly detail: string | undefined;
  readonly code: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly overflow: ContextOverflow | undefined;
}

/** A part of the output, sealed; `start` is its first character. */
export interface ReplyPiece {
  readonly start: number;
  readonly length: number;
  readonly sealed: string;
}

export interface StoredReply {
  readonly pieces: readonly ReplyPiece[];
  readonly ending: ReplyEnding | undefined;
}

/** How long after its last read a running reply is still written to the store. */
const readMs = 10_000;
const keptMs = 120_000;
/** After this long, an unused claim of a process that is gone is deleted. */
const forgottenMs = 86_400_000;

/**
 * The claims of all processes that share a store. An idempotency key (`scope`) has one claim at a time, created by one
 * insert. The claim ends when the reply is over, or passes to another process once its process is gone.
 */
export class ReplyClaims {
  readonly #store: Store;
  readonly #alarm: (error: unknown) => void;

  /** `alarm` is called with an invariant violation: a caller cannot tell it from a store that fails. */
  constructor(store: Store, alarm: (error: unknown) => void) {
    this.#store = store;
    this.#alarm = alarm;
  }

  /** Claims a free key and returns `undefined`, or returns the claim that holds it. */
  async claim(claim: ReplyClaim): Promise<ReplyClaim | undefined> {
    const { db } = this.#store;
    const now = databaseNow(db);
    const taken = await db
      .insertInto('reply_claims')
      .values({ ...rowOf(claim), claimed_at: now })
      .onConflict((row) =>
        row
          .column('scope')
          .doUpdateSet({ ...rowOf(claim), claimed_at: now })
          .where((held) => {
            const isFree = held.or([
              held('reply_claims.state', '=', 'failed'),
              held('reply_claims.kept_until', '<', now),
            ]);
            // A stalled store may run a repeated claim after the reply has ended. Then the reply stays as it is.
            return held
              .case()
              .when('reply_claims.claim', '=', claim.id)
              .then(held('reply_claims.state', '=', 'running'))
              .else(isFree)
              .end();
          }),
      )
      .returning('claim')
      .executeTakeFirst();
    if (taken) return undefined;
    const held = await db.selectFrom('reply_claims').selectAll().where('scope', '=', claim.scope).executeTakeFirst();
    // The other claim ended in between, so the key is free: try again.
    if (!held) return this.claim(claim);
    return { scope: held.scope, id: held.claim, process: held.process, digest: held.digest };
  }

  /** Replaces the claim of a process that is gone. Of several callers only one gets `true`. */
  async takeOver(from: ReplyClaim, claim: ReplyClaim): Promise<boolean> {
    const { db } = this.#store;
    const taken = await db
      .updateTable('reply_claims')
      .set({ ...rowOf(claim), claimed_at: databaseNow(db) })
      .where('claim', '=', from.id)
      .where('state', '=', 'running')
      .returning('claim')
      .executeTakeFirst();
    return taken !== undefined;
  }

  /** Marks a running reply as read elsewhere: its process writes it to the store for the next 10 s. */
  async markRead(id: string): Promise<void> {
    const { db } = this.#store;
    await db
      .updateTable('reply_claims')
      .set((row) => ({ read_until: row(databaseNow(db), '+', row.lit(readMs)) }))
      .where('claim', '=', id)
      .where('state', '=', 'running')
      .execute();
  }

  /** The ids of a process's replies that other processes read. */
  async readElsewhere(process: string): Promise<ReadonlySet<string>> {
    const { db } = this.#store;
    const rows = await db
      .selectFrom('reply_claims')
      .select('claim')
      .where('process', '=', process)
      .where('read_until', '>', databaseNow(db))
      .execute();
    return new Set(rows.map(({ claim }) => claim));
  }

  /** Reads the output from a character on, and the ending, in one snapshot; `undefined` without a claim. */
  async read(id: string, from: number): Promise<StoredReply | undefined> {
    const rows = await this.#store.db
      .selectFrom('reply_claims')
      .leftJoin('reply_pieces', (join) =>
        join
          .onRef('reply_pieces.claim', '=', 'reply_claims.claim')
          .on((piece) => piece(piece('reply_pieces.start', '+', piece.ref('reply_pieces.length')), '>', from)),
      )
      .select(['reply_claims.ending', 'reply_pieces.start', 'reply_pieces.length', 'reply_pieces.sealed'])
      .where('reply_claims.claim', '=', id)
      .orderBy('reply_pieces.start')
      .execute();
    const [first] = rows;
    if (!first) return undefined;
    return {
      pieces: rows.flatMap(({ start, length, sealed }) =>
        start === null || length === null || sealed === null ? [] : [{ start, length, sealed }],
      ),
      ending: first.ending === null ? undefined : (ownJson(first.ending) as ReplyEnding),
    };
  }

  /** Writes a piece of the output, and the ending if there is one, for readers in other processes. */
  async tell(id: string, piece: ReplyPiece | undefined, ending: ReplyEnding | undefined): Promise<void> {
    try {
      await this.#store.transaction(async (tx) => {
        if (piece) await writePiece(tx, id, piece);
        if (ending) await writeEnding(tx, id, ending);
      });
    } catch (error) {
      if (error instanceof InvariantViolation) this.#alarm(error);
      throw error;
    }
  }

  /** Deletes the claim: a retry may generate a new reply. */
  async release(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.deleteFrom('reply_claims').where('claim', '=', id).execute();
      await tx.deleteFrom('reply_pieces').where('claim', '=', id).execute();
    });
  }

  /** Deletes expired claims and their pieces. Returns `false`: one call deletes everything. */
  async deleteOld(): Promise<boolean> {
    const { db } = this.#store;
    const now = databaseNow(db);
    await db
      .deleteFrom('reply_claims')
      .where((row) =>
        row.or([row('kept_until', '<', now), row('claimed_at', '<', row(now, '-', row.lit(forgottenMs)))]),
      )
      .execute();
    await db
      .deleteFrom('reply_pieces')
      .where('claim', 'not in', (claims) => claims.selectFrom('reply_claims').select('claim'))
      .execute();
    return false;
  }
}

async function writePiece(tx: Kysely<Database>, id: string, piece: ReplyPiece): Promise<void> {
  if (piece.start > 0) {
    const reaching = await tx
      .selectFrom('reply_pieces')
      .select('start')
      .where('claim', '=', id)
      .where((stored) => stored(stored('start', '+', stored.ref('length')), '>=', piece.start))
      .executeTakeFirst();
    assert(reaching !== undefined, 'a piece of a reply follows the stored ones');
  }
  await tx
    .insertInto('reply_pieces')
    .values({ claim: id, ...piece })
    .onConflict((row) =>
      row
        .columns(['claim', 'start'])
        .doUpdateSet({ ...piece })
        .where('reply_pieces.length', '<', piece.length),
    )
    .execute();
}

/** Does nothing if the claim no longer exists. The same ending may be written again, because a reply may be lost. */
async function writeEnding(tx: Kysely<Database>, id: string, ending: ReplyEnding): Promise<void> {
  const now = databaseNow(tx);
  const text = JSON.stringify(ending);
  const claim = await tx
    .updateTable('reply_claims')
    .set((row) => ({
      state: stateAfter(ending),
      ending: text,
      kept_until: ending.kind === 'untellable' ? null : row(now, '+', row.lit(keptMs)),
    }))
    .where('claim', '=', id)
    .where((row) => row.or([row('state', '=', 'running'), row('ending', '=', text)]))
    .returning('claim')
    .executeTakeFirst();
  if (claim) return;
  const held = await tx.selectFrom('reply_claims').select('ending').where('claim', '=', id).executeTakeFirst();
  assert(held === undefined, 'a reply ends once');
}

function rowOf({ scope, id, process, digest }: ReplyClaim) {
  const row = { scope, claim: id, process, digest, state: 'running' as const };
  return { ...row, ending: null, read_until: null, kept_until: null };
}

function stateAfter({ kind }: ReplyEnding): 'running' | 'complete' | 'failed' {
  if (kind === 'untellable') return 'running';
  return kind === 'stream' || kind === 'body' ? 'complete' : 'failed';
}
