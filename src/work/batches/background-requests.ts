import type { KeyHolder } from '../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { exactJson } from 'chat-formats/json/exact-json.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import { databaseNow, databaseNowPlus } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { BatchRow, LineRow } from './batch-rows.ts';
import { type Batches, type BatchParts, noSums, windowMs } from './batches.ts';

interface BackgroundParts extends BatchParts {
  readonly vault: SecretVault;
  readonly batches: Pick<Batches, 'cancel' | 'remove' | 'onWork'>;
  readonly settings: () => { readonly backgroundMax: number };
}

export interface NewBackgroundRequest extends Pick<BatchRow, 'host' | 'address'> {
  /** Of the request that creates it. The id of the response contains it. */
  readonly id: string;
  readonly key: KeyHolder;
  /** Headers of the client that the request needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text as the client sent it. */
  readonly body: string;
  /** The response object at its creation, as JSON text. */
  readonly opening: string;
}

/** A batch of one line. Once it has ended, its response is a stored response, and it has no line. */
export interface BackgroundRequest {
  readonly batch: BatchRow;
  readonly line: LineRow | undefined;
}

/** Decides whether a request is the first one of its client, or repeats it. Then it creates nothing. */
export interface CreationOnce {
  /** Rejects if it is the first one and there is nothing to spend. */
  admit(): Promise<'first' | 'repeated'>;
  /** Resolves with the id that the first one created. */
  once(create: (store: Store) => Promise<string>): Promise<string>;
}

export const backgroundEndpoint = '/v1/responses';
/** An input whose request was never created is deleted after this long. */
const inputMs = 2 * windowMs;

/** The requests of accounts that run in the background. Each is a batch of one line, without the idle class. */
export class BackgroundRequests {
  readonly #parts: BackgroundParts;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Rejects if the account has as many as it may have. Resolves with the id of the request that created it. */
  async create(request: NewBackgroundRequest, creation: CreationOnce): Promise<string> {
    const { files, batches } = this.#parts;
    const { accountId, keyId } = request.key;
    if ((await creation.admit()) === 'first') await this.#refuseMany(accountId);
    const file = { accountId, keyId, purpose: 'batch', filename: 'response.jsonl', keepMs: inputMs } as const;
    const writer = await files.create({ ...file, state: 'internal', origin: 'gateway' });
    let created: string | undefined;
    try {
      const text = Buffer.from(`${JSON.stringify({ body: exactJson(request.body) })}\n`);
      await writer.add(text);
      const { id } = await writer.end();
      created = await creation.once((inside) => this.#insert(inside, request, { id, bytes: text.length }));
    } finally {
      if (created !== request.id && !(await this.#mayExist(request))) await writer.discard().catch(() => undefined);
    }
    batches.onWork();
    return created;
  }

  async find(accountId: string, id: string): Promise<BackgroundRequest | undefined> {
    const { db } = this.#parts.store;
    const batch = await db
      .selectFrom('batches')
      .selectAll()
      .where('id', '=', id)
      .where('kind', '=', 'response')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (!batch) return undefined;
    return {
      batch,
      line: await db.selectFrom('batch_lines').selectAll().where('batch_id', '=', id).executeTakeFirst(),
    };
  }

  /** A commit may have taken place although its result was lost. In doubt, the periodic deletion finds the input. */
  #mayExist({ id, key }: NewBackgroundRequest): Promise<boolean> {
    return this.find(key.accountId, id).then(
      (found) => found !== undefined,
      () => true,
    );
  }

  /** The response object at its creation, as JSON text. */
  openingOf({ id, metadata }: BatchRow): string {
    const opened = this.#parts.vault.open(ownerOf(id), metadata ?? '');
    if (!opened.ok) throw new Error(`the response ${id} cannot be decrypted: it is ${opened.reason}`);
    return opened.secret;
  }

  /** The body of the request, parsed. */
  async bodyOf({ account_id: accountId, input_file_id: id }: BatchRow): Promise<unknown> {
    const file = await this.#parts.files.find(accountId, id, 'internal');
    const pieces: Buffer[] = [];
    if (file) for await (const piece of this.#parts.files.content(file)) pieces.push(piece);
    return (ownJson(Buffer.concat(pieces).toString('utf8')) as { readonly body: unknown }).body;
  }

  /** From now on its status is `cancelled`, unless it has ended. Its attempt is aborted. */
  async cancel(accountId: string, id: string): Promise<void> {
    await this.#parts.batches.cancel(accountId, id, 'response');
  }

  async remove(accountId: string, id: string): Promise<void> {
    await this.#parts.batches.remove(accountId, id);
  }

  /**
   * Notes that a client gets a part of the answer of this attempt: if its process ends, no other attempt can continue
   * the same events. Returns false if the attempt is no longer the current one. Then the client must not get it.
   */
  async markStreamed(requestId: string): Promise<boolean> {
    const marked = await this.#parts.store.db
      .updateTable('batch_lines')
      .set({ streamed_at: databaseNow(this.#parts.store.db) })
      .where('request_id', '=', requestId)
      .where('state', '=', 'running')
      .executeTakeFirst();
    return marked.numUpdatedRows > 0n;
  }

  async #insert(
    store: Store,
    request: NewBackgroundRequest,
    input: { readonly id: string; readonly bytes: number },
  ): Promise<string> {
    const { vault } = this.#parts;
    const { id, key } = request;
    const { accountId, keyId } = key;
    const now = databaseNow(store.db);
    const batch = {
      id,
      kind: 'response' as const,
      format: 'openai' as const,
      account_id: accountId,
      key_id: keyId,
      host: request.host,
      address: request.address,
      headers: JSON.stringify(request.headers),
      endpoint: backgroundEndpoint,
      input_file_id: input.id,
      metadata: vault.seal(ownerOf(id), request.opening),
      state: 'in_progress' as const,
      created_at: now,
      in_progress_at: now,
      expires_at: databaseNowPlus(store.db, windowMs),
      ...noSums,
      lines: 1,
    };
    const line = { batch_id: id, line: 1, custom_id: id, chunk: 0, first_byte: 0, bytes: input.bytes };
    await store.transaction(
      async (tx) => {
        await this.#refuseMany(accountId, tx);
        await tx.insertInto('batches').values(batch).execute();
        const queued = { ...line, state: 'queued' as const, failures: 0, not_before: 0 };
        await tx.insertInto('batch_lines').values(queued).execute();
      },
      { lock: `background of ${accountId}` },
    );
    return id;
  }

  async #refuseMany(accountId: string, db = this.#parts.store.db): Promise<void> {
    const { backgroundMax } = this.#parts.settings();
    const counted = await db
      .selectFrom('batches')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('account_id', '=', accountId)
      .where('kind', '=', 'response')
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(counted.count) < backgroundMax) return;
    const detail = `${backgroundMax} responses of this account already wait or run in the background. Wait until one of them ends, or cancel one.`;
    throw new GatewayError('overloaded', { detail });
  }
}

function ownerOf(id: string): string {
  return `background response ${id}`;
}

/** `cancelled` is final as soon as it was requested. */
export function statusOf({ batch, line }: BackgroundRequest): 'queued' | 'in_progress' | 'cancelled' {
  if (batch.cancelling_at !== null) return 'cancelled';
  const isStarted = line !== undefined && (line.started_at !== null || !isOpen.has(line.state));
  return isStarted ? 'in_progress' : 'queued';
}

const isOpen: ReadonlySet<string> = new Set(['queued', 'running']);
