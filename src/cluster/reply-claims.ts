import type { ErrorCase } from '../core/error-table.ts';
import type { ContextOverflow, ErrorDetails } from '../core/gateway-error.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

/** A reply that one process makes, for all who ask any process for the same one. */
export interface ReplyClaim {
  /** What the client named; the same in every process. */
  readonly place: string;
  /** The request that it is the reply to. */
  readonly id: string;
  /** Who makes it. */
  readonly process: string;
  /** Of the request's body. */
  readonly digest: string;
}

/** How a reply ended, as far as it must be known to tell it again. `untellable`: it goes on, but nobody can join it. */
export type ReplyEnding =
  | WholeEnding
  /** Its last piece says so in the client's format. */
  | ({ readonly kind: 'broken' } & ToldError)
  /** Before anything was said. */
  | ({ readonly kind: 'failed' } & ToldError)
  | { readonly kind: 'untellable' };

/** The end of a reply that is whole. */
export type WholeEnding =
  | { readonly kind: 'stream' }
  | { readonly kind: 'body'; readonly status: number; readonly contentType: string };

/** An error as a client may be told of it. */
export interface ToldError {
  readonly case: ErrorCase;
  readonly detail: string | undefined;
  readonly code: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly overflow: ContextOverflow | undefined;
}

/** Some of what was said, sealed, from one character on. */
export interface ReplyPiece {
  readonly start: number;
  readonly length: number;
  readonly sealed: string;
}

/** All that can be read of a claimed reply. */
export interface ToldReply {
  readonly pieces: readonly ReplyPiece[];
  readonly ending: ReplyEnding | undefined;
}

/** For so long after its reader last looked, a reply is told to the store while it is made. */
const wantedMs = 10_000;
/** How long a whole reply is kept. */
const keptMs = 120_000;
/** A claim of a process that is gone and that nobody asked for again is of no use after so long. */
const forgottenMs = 86_400_000;

/**
 * The claims of all processes that share a store. A place has one claim at a time: it is had by one insert, and ends
 * when the reply is over, or passes to another once its process is known to be gone.
 */
export class ReplyClaims {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes a place that is free. If it is not, whose it is. */
  async claim(claim: ReplyClaim): Promise<ReplyClaim | undefined> {
    const { db } = this.#store;
    const now = databaseNow(db);
    const taken = await db
      .insertInto('reply_claims')
      .values({ ...rowOf(claim), claimed_at: now })
      .onConflict((row) =>
        row
          .column('place')
          .doUpdateSet({ ...rowOf(claim), claimed_at: now })
          .where((held) =>
            held.or([
              held('reply_claims.state', '=', 'over'),
              held('reply_claims.kept_until', '<', now),
              held('reply_claims.claim', '=', claim.id),
            ]),
          ),
      )
      .returning('claim')
      .executeTakeFirst();
    if (taken) return undefined;
    const held = await db.selectFrom('reply_claims').selectAll().where('place', '=', claim.place).executeTakeFirst();
    // It ended in between: whoever asks next finds the place free.
    if (!held) return this.claim(claim);
    return { place: held.place, id: held.claim, process: held.process, digest: held.digest };
  }

  /** Takes a place from a claim that ends with its process. Only one of those who try gets it. */
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

  /** Somebody reads it: while it is made, it is told to the store for a while. */
  async want(id: string): Promise<void> {
    const { db } = this.#store;
    await db
      .updateTable('reply_claims')
      .set((row) => ({ wanted_until: row(databaseNow(db), '+', row.lit(wantedMs)) }))
      .where('claim', '=', id)
      .where('state', '=', 'running')
      .execute();
  }

  /** Which of a process's replies are read elsewhere. */
  async wanted(process: string): Promise<ReadonlySet<string>> {
    const { db } = this.#store;
    const rows = await db
      .selectFrom('reply_claims')
      .select('claim')
      .where('process', '=', process)
      .where('wanted_until', '>', databaseNow(db))
      .execute();
    return new Set(rows.map(({ claim }) => claim));
  }

  /** What was said from a character on, and how it ended, of one moment; nothing of a claim that is no more. */
  async read(id: string, from: number): Promise<ToldReply | undefined> {
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
      ending: first.ending === null ? undefined : (JSON.parse(first.ending) as ReplyEnding),
    };
  }

  /** Tells those who read elsewhere what was said, and how it ended if it has. */
  async tell(id: string, piece: ReplyPiece | undefined, ending: ReplyEnding | undefined): Promise<void> {
    await this.#store.transaction(async (tx) => {
      if (piece) {
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
      if (!ending) return;
      const now = databaseNow(tx);
      await tx
        .updateTable('reply_claims')
        .set((row) => ({
          state: stateAfter(ending),
          ending: JSON.stringify(ending),
          kept_until: ending.kind === 'untellable' ? null : row(now, '+', row.lit(keptMs)),
        }))
        .where('claim', '=', id)
        .execute();
    });
  }

  /** Whoever asks again may make another. */
  async release(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.deleteFrom('reply_claims').where('claim', '=', id).execute();
      await tx.deleteFrom('reply_pieces').where('claim', '=', id).execute();
    });
  }

  /** Deletes what nobody is given any more. Nothing is left for another turn. */
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

function rowOf({ place, id, process, digest }: ReplyClaim) {
  const row = { place, claim: id, process, digest, state: 'running' as const };
  return { ...row, ending: null, wanted_until: null, kept_until: null };
}

function stateAfter({ kind }: ReplyEnding): 'running' | 'whole' | 'over' {
  if (kind === 'untellable') return 'running';
  return kind === 'stream' || kind === 'body' ? 'whole' : 'over';
}
