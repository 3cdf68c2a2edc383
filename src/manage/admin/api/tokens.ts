import type { Selectable } from 'kysely';
import { randomBase62 } from '../../../money/accounts/base62.ts';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { isOneOf, keyDigest, keyDigests, secretId, type SecretParts } from '../../../platform/secrets/key-digest.ts';
import { withdrawLinksBy } from '../../../money/accounts/one-time-links.ts';
import { secretFormat } from '../../../money/accounts/secret-format.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { TokenRole } from './caller.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { joined } from '../../../platform/store/joined.ts';
import { recordChange, sentFrom } from './audit.ts';
import type { AdminParts } from '../parts.ts';

/** Authenticates an operator, or the owner of an account, at the admin and account APIs. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  /** Set for the role `account` only. */
  readonly accountId: AccountId | undefined;
  /** The first and last characters of the secret. */
  readonly display: string;
  readonly createdAt: number;
  /** Actor that created it: an e-mail address, the id of a token, or `cli`. Undefined for the first token. */
  readonly createdBy: string | undefined;
  readonly revokedAt: number | undefined;
  /** Up to a minute late. */
  readonly lastUsedAt: number | undefined;
}

const format = secretFormat('gwa_live_');

/** Creates a token. Its secret is returned only here, and never stored. */
export async function createToken(
  { store, clock, pepper }: SecretParts,
  token: Pick<Token, 'name' | 'role' | 'accountId'> & { readonly createdBy?: string },
): Promise<{ token: Token; secret: string }> {
  const secret = format.newSecret();
  const row: TokenRow = {
    id: `tok_${randomBase62(16)}`,
    name: token.name,
    role: token.role,
    account_id: token.accountId ?? null,
    digest: keyDigest(pepper, secret),
    digest_secret: secretId(pepper),
    display: format.displayForm(secret),
    created_at: clock.now(),
    created_by: token.createdBy ?? null,
    revoked_at: null,
    last_used_at: null,
  };
  await store.db.insertInto('admin_tokens').values(row).execute();
  return { token: fromRow(row), secret };
}

/** The valid token with this secret. Queries the store on every call, so a revoked token is refused immediately. */
export async function tokenHolder(
  { store, pepper }: Pick<SecretParts, 'store' | 'pepper'>,
  secret: string,
): Promise<Token | undefined> {
  if (!format.wellFormed(secret)) return undefined;
  const digests = keyDigests(pepper, secret);
  const row = await store.db.selectFrom('admin_tokens').selectAll().where('digest', 'in', digests).executeTakeFirst();
  if (!row || !isOneOf(digests, row.digest) || row.revoked_at !== null) return undefined;
  const [digest] = digests;
  if (row.digest !== digest) {
    // The digest was made with another pepper. Now that the secret is known, it can be replaced.
    const own = store.db.updateTable('admin_tokens').where('id', '=', row.id);
    await own.set({ digest, digest_secret: secretId(pepper) }).execute();
  }
  return fromRow(row);
}

/** Every token, without its secret; the revoked ones too, since the audit log names them. */
export async function listTokens(store: Store): Promise<readonly Token[]> {
  const rows = await store.db.selectFrom('admin_tokens').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(fromRow);
}

export async function findToken(store: Store, id: string): Promise<Token | undefined> {
  const row = await store.db.selectFrom('admin_tokens').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/** Returns false if there is no such token, or if it was revoked before. */
export async function revokeToken(store: Store, clock: Clock, id: string): Promise<boolean> {
  const revoked = await store.db
    .updateTable('admin_tokens')
    .set({ revoked_at: clock.now() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return revoked.numUpdatedRows > 0n;
}

/**
 * Revokes the tokens that an actor created, and those that such tokens created: a token may have been replaced by one that
 * it created. Returns the ids of the revoked ones.
 */
export async function revokeTokensBy(store: Store, clock: Clock, createdBy: string): Promise<readonly string[]> {
  const revoked: string[] = [];
  // Grows while it is read. A token is younger than its creator, so the loop ends.
  const creators = [createdBy];
  for (const creator of creators) {
    const made = await store.db.selectFrom('admin_tokens').select('id').where('created_by', '=', creator).execute();
    for (const { id } of made) {
      creators.push(id);
      if (await revokeToken(store, clock, id)) revoked.push(id);
      await withdrawLinksBy(store.db, id);
    }
  }
  return revoked;
}

/**
 * Creates a token of the role `owner` if there never was an operator token. Returns its secret, to be shown once. A
 * revoked token counts: the operator who revoked it does not expect a new one at the next start.
 */
export async function firstAdminToken({ store, ...parts }: SecretParts): Promise<string | undefined> {
  const known = await listTokens(store);
  if (known.some(({ role }) => role !== 'account')) return undefined;
  const { secret } = await createToken(
    { store, ...parts },
    { name: 'first token', role: 'owner', accountId: undefined },
  );
  return secret;
}

type TokenRow = Selectable<Database['admin_tokens']>;

function fromRow(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    accountId: (row.account_id ?? undefined) as AccountId | undefined,
    display: row.display,
    createdAt: row.created_at,
    createdBy: row.created_by ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

/** A busy token writes its last use at most this often. */
const writeEveryMs = 60_000;

/** Writes the last use of a token. The first use, in any process, is also written to the audit log. */
export async function recordUse(
  { store, clock }: Pick<AdminParts, 'store' | 'clock'>,
  token: Token,
  exchange: Exchange,
): Promise<void> {
  const at = clock.now();
  const { id, name, role, display, accountId, lastUsedAt } = token;
  if (lastUsedAt !== undefined && at - lastUsedAt < writeEveryMs) return;
  await store.transaction(async (tx) => {
    const own = tx.updateTable('admin_tokens').set({ last_used_at: at }).where('id', '=', id);
    const isLater = lastUsedAt !== undefined;
    const updated = await (isLater ? own : own.where('last_used_at', 'is', null)).executeTakeFirst();
    if (isLater || updated.numUpdatedRows === 0n) return;
    const change = { kind: 'token', id, after: { name, role, display }, accounts: accountId ? [accountId] : [] };
    const by = { at, actor: id, role, action: 'useToken', ...sentFrom(exchange) };
    await recordChange(joined(store, tx), change, by);
  });
}
