import type { KeyObject } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import { type CapPeriod, capPeriods } from '../../core/time/cap-period.ts';
import type { Clock } from '../../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { type NewOutboxEvent, recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { contains } from '../../platform/store/text-search.ts';
import { type AccountId, type KeyId, newKeyId } from './ids.ts';
import { keyDigest, secretId, type SecretParts } from '../../platform/secrets/key-digest.ts';
import { displayForm, newSecret } from './secret-format.ts';

export interface ApiKey {
  readonly id: KeyId;
  readonly accountId: AccountId;
  /** The user whose limits in the account it counts for; `undefined` means none. */
  readonly memberId: string | undefined;
  readonly name: string;
  /** The first and last characters of the secret. */
  readonly display: string;
  /** Model ids, aliases or patterns; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** Spend cap in nano-units; `undefined` means the balance of the account. */
  readonly spendCap: bigint | undefined;
  /** How often the cap resets, in the time zone of the account; `undefined` means never. */
  readonly capPeriod: CapPeriod | undefined;
  /** Requests served at once; `undefined` means no limit. */
  readonly maxConcurrency: number | undefined;
  /** IP addresses and ranges from which it may be used; `undefined` means anywhere. */
  readonly addresses: readonly string[] | undefined;
  /** Whether `stream: false` gets one JSON body, even if the site does not enable that. */
  readonly honourStreamFalse: boolean;
  /** Whether its answers contain their charge, even if the site does not enable that. */
  readonly reportCost: boolean;
  /** Whether the bodies of its requests are stored, if the configuration allows it. */
  readonly storeBodies: boolean;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly createdAt: number;
  /** Up to a minute late. */
  readonly lastUsedAt: number | undefined;
  readonly rotatedFrom: KeyId | undefined;
  /** The first key of a chain of rotations. All keys of the chain share their limits. */
  readonly firstId: KeyId;
}

/** The terms of a key. A key that replaces another one gets the same. */
type KeyTerms = Pick<
  ApiKey,
  | 'models'
  | 'spendCap'
  | 'capPeriod'
  | 'maxConcurrency'
  | 'addresses'
  | 'honourStreamFalse'
  | 'reportCost'
  | 'storeBodies'
  | 'expiresAt'
>;

export interface NewKey extends Pick<ApiKey, 'accountId' | 'name'>, Partial<KeyTerms & Pick<ApiKey, 'memberId'>> {
  /** A temporary key of a dashboard page. By default it is not listed, and it causes no events. */
  readonly isTemporary?: boolean;
}

/** Changes of a key. Fields that are left out stay unchanged, and `null` removes the limit. */
export type KeyLimits = Partial<
  Pick<ApiKey, 'name'> & { readonly memberId: string | null } & {
    readonly [Term in keyof KeyTerms]: KeyTerms[Term] | null;
  }
>;

interface KeyFilter {
  readonly accountId?: AccountId | undefined;
  /** A part of the name or of the display form. */
  readonly text?: string | undefined;
  /** Newest first. `after` is then the last key of the newer page. */
  readonly isNewestFirst?: boolean;
  readonly withTemporary?: boolean;
  readonly after?: (Pick<ApiKey, 'createdAt'> & { readonly id: string }) | undefined;
  readonly limit?: number;
}

/** The keys of all accounts, without secrets. Every change is published to running processes, in its transaction. */
export function keys(store: Store, clock: Clock) {
  return {
    /** Oldest first by default. At most `limit` keys, starting after the key `after`. */
    async list(filter: KeyFilter = {}): Promise<readonly ApiKey[]> {
      const { accountId, text, after, limit, isNewestFirst = false, withTemporary = false } = filter;
      const [direction, comparison] = isNewestFirst ? (['desc', '<'] as const) : (['asc', '>'] as const);
      let query = store.db.selectFrom('api_keys').selectAll().orderBy('created_at', direction).orderBy('id', direction);
      if (!withTemporary) query = query.where('temporary', '=', 0);
      if (text !== undefined) query = query.where(contains(sql`name || ' ' || display`, text));
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (after)
        query = query.where((key) =>
          key(key.refTuple('created_at', 'id'), comparison, key.tuple(after.createdAt, after.id)),
        );
      if (limit !== undefined) query = query.limit(limit);
      return (await query.execute()).map(keyFrom);
    },
    /** Finds keys by id, display form or name. The last two need not be unique. */
    async find(reference: string): Promise<readonly ApiKey[]> {
      const display = reference.replace(/\.{2,3}/, '…');
      const rows = await store.db
        .selectFrom('api_keys')
        .selectAll()
        .where((key) => key.or([key('id', '=', reference), key('display', '=', display), key('name', '=', reference)]))
        .orderBy('created_at')
        .execute();
      return rows.map(keyFrom);
    },
    /**
     * Returns false if the key was revoked before. The next request is refused. Running answers continue, unless
     * `terminateStreams` is set, which also works for a key that was revoked before.
     */
    revoke: (id: KeyId, { terminateStreams = false }: { terminateStreams?: boolean } = {}): Promise<boolean> =>
      store.transaction(async (tx) => {
        if (terminateStreams) await publishChange(tx, { topic: 'cut', subject: id });
        return endKey(tx, id, clock.now());
      }),
  };
}

/** Revokes a key. Returns false if it was revoked before. */
export async function endKey(tx: Kysely<Database>, id: string, now: number): Promise<boolean> {
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  await publishChange(tx, { topic: 'key', subject: id });
  if (revoked && revoked.temporary === 0) await recordEvent(tx, keyEvent('key.revoked', revoked, now));
  return revoked !== undefined;
}

/** A key and the only copy of its secret outside the client. */
export interface KeyWithSecret {
  readonly key: ApiKey;
  readonly secret: string;
}

export async function createKey({ store, clock, pepper }: SecretParts, key: NewKey): Promise<KeyWithSecret> {
  const { row, secret } = newRow(pepper, key, clock.now());
  await store.transaction((tx) => insertKey(tx, row));
  return { key: keyFrom(row), secret };
}

/**
 * Creates a key that replaces another one with the same terms, including its expiry and the spend against its cap.
 * The old key stays valid for the grace period, or until its own expiry if that is earlier. Without a grace period it
 * is revoked. Returns `undefined` if the old key is no longer valid.
 */
export async function rotateKey(
  { store, clock, pepper }: SecretParts,
  id: KeyId,
  { graceMs }: { readonly graceMs: number },
): Promise<(KeyWithSecret & { readonly old: ApiKey }) | undefined> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    const before = await tx.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
    if (!before || keyState(keyFrom(before), now) !== 'active') return undefined;
    const end =
      graceMs > 0 ? { expires_at: Math.min(before.expires_at ?? now + graceMs, now + graceMs) } : { revoked_at: now };
    const old = { ...before, ...end };
    const { row, secret } = newRow(pepper, keyFrom(before), now, keyFrom(before));
    const ended = tx.updateTable('api_keys').set(end).where('id', '=', id).where('revoked_at', 'is', null);
    // It may have been revoked since it was read.
    if ((await ended.executeTakeFirst()).numUpdatedRows === 0n) return undefined;
    await publishChange(tx, { topic: 'key', subject: id });
    await insertKey(tx, row);
    if (old.revoked_at !== null) await recordEvent(tx, keyEvent('key.revoked', old, now));
    return { key: keyFrom(row), secret, old: keyFrom(old) };
  });
}

function newRow(pepper: KeyObject, key: NewKey, now: number, before?: ApiKey): { row: KeyRow; secret: string } {
  const secret = newSecret();
  return { row: newKeyRow(key, { now, stored: storedSecret(pepper, secret), before }), secret };
}

/** The columns that the store has of a secret. */
export type StoredSecret = Pick<KeyRow, 'digest' | 'digest_secret' | 'display' | 'scheme'>;

/** For a secret of the gateway's own form. */
export function storedSecret(pepper: KeyObject, secret: string): StoredSecret {
  const digest = keyDigest(pepper, secret);
  return { digest, digest_secret: secretId(pepper), display: displayForm(secret), scheme: null };
}

export function newKeyRow(
  key: NewKey,
  {
    now,
    stored,
    before,
  }: { readonly now: number; readonly stored: StoredSecret; readonly before?: ApiKey | undefined },
): KeyRow {
  const id = newKeyId();
  return {
    id,
    account_id: key.accountId,
    member_id: key.memberId ?? null,
    name: key.name,
    ...stored,
    models: key.models ? JSON.stringify(key.models) : null,
    spend_cap: key.spendCap?.toString() ?? null,
    cap_period: key.capPeriod ?? null,
    max_concurrency: key.maxConcurrency ?? null,
    addresses: key.addresses ? JSON.stringify(key.addresses) : null,
    rotated_from: before?.id ?? null,
    first_id: before?.firstId ?? id,
    honour_stream_false: key.honourStreamFalse ? 1 : 0,
    report_cost: key.reportCost ? 1 : 0,
    store_bodies: key.storeBodies ? 1 : 0,
    temporary: key.isTemporary ? 1 : 0,
    expires_at: key.expiresAt ?? null,
    revoked_at: null,
    created_at: now,
    last_used_at: null,
  };
}

export async function insertKey(tx: Kysely<Database>, row: KeyRow): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
  await publishChange(tx, { topic: 'key', subject: row.id });
  if (row.temporary === 0) await recordEvent(tx, keyEvent('key.created', row, row.created_at));
  // If the key replaces one that stores bodies, nothing changes for its account.
  if (row.store_bodies === 1 && row.rotated_from === null) await recordStoringEvent(tx, keyFrom(row), row.created_at);
}

export async function recordStoringEvent(tx: Kysely<Database>, key: ApiKey, at: number): Promise<void> {
  const { id, accountId, name, display } = key;
  await recordEvent(tx, { kind: 'key.stores_bodies', accountId, at, data: { key_id: id, name, display } });
}

function keyEvent(kind: 'key.created' | 'key.revoked', row: KeyRow, at: number): NewOutboxEvent {
  const data = { key_id: row.id, name: row.name, display: row.display, rotated_from: row.rotated_from };
  return { kind, accountId: row.account_id, at, data };
}

/** The state of a key at a time, without regard to its account. */
export function keyState(key: ApiKey, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}

export type KeyRow = Selectable<Database['api_keys']>;

export function keyFrom(row: KeyRow): ApiKey {
  return {
    id: row.id as KeyId,
    accountId: row.account_id as AccountId,
    memberId: row.member_id ?? undefined,
    name: row.name,
    display: row.display,
    models: row.models === null ? undefined : (ownJson(row.models) as string[]),
    spendCap: row.spend_cap === null ? undefined : BigInt(row.spend_cap),
    capPeriod: capPeriods.find((each) => each === row.cap_period),
    maxConcurrency: row.max_concurrency ?? undefined,
    addresses: row.addresses === null ? undefined : (ownJson(row.addresses) as string[]),
    honourStreamFalse: row.honour_stream_false === 1,
    reportCost: row.report_cost === 1,
    storeBodies: row.store_bodies === 1,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    rotatedFrom: (row.rotated_from ?? undefined) as KeyId | undefined,
    firstId: row.first_id as KeyId,
  };
}
