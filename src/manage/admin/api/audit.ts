import type { Selectable, Kysely } from 'kysely';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import { membershipsOf } from '../../../money/accounts/members.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** Longer `user-agent` headers are truncated. */
export const deviceCharactersMax = 256;

/** The facts about a request that the audit log keeps. */
export function sentFrom(exchange: Exchange): Pick<AuditOccasion, 'requestId' | 'address' | 'device'> {
  const device = exchange.header('user-agent')?.slice(0, deviceCharactersMax);
  return { requestId: exchange.id, address: exchange.address, device };
}

/** One change of one subject. Neither side holds a secret. A side that did not exist is left out. */
export interface AuditChange {
  readonly kind: string;
  readonly id: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The accounts that the change concerns, if its kind and actor do not decide it. */
  readonly accounts?: readonly string[] | undefined;
}

export interface AuditOccasion {
  readonly at: number;
  /** The id of a token, the e-mail address of a user, or `cli`. */
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly requestId: string | undefined;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
  /** The account that the actor acts for. */
  readonly account?: string | undefined;
}

export interface AuditLine extends Omit<AuditOccasion, 'account'>, Omit<AuditChange, 'accounts'> {
  readonly lineId: number;
}

export interface AuditFilter {
  readonly account?: string | undefined;
  readonly actor?: string;
  readonly action?: string;
  readonly kind?: string;
  readonly id?: string;
  readonly since?: number;
  readonly until?: number;
  /** Only entries older than the one with this id. */
  readonly before?: number;
  readonly limit: number;
}

/** Must run in the transaction of the change, so that both are committed or neither. */
export async function recordChange(store: Store, change: AuditChange, by: AuditOccasion): Promise<void> {
  const { kind, id, before, after } = change;
  const { id: line } = await store.db
    .insertInto('audit')
    .values({
      at: by.at,
      actor: by.actor,
      role: by.role,
      action: by.action,
      subject_kind: kind,
      subject_id: id,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
      request_id: by.requestId ?? null,
      address: by.address ?? null,
      device: by.device ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const concerned = await concernedAccounts(store.db, change, by.account);
  if (concerned.length === 0) return;
  const rows = concerned.map((account) => ({ account_id: account, line }));
  await store.db.insertInto('audit_accounts').values(rows).execute();
}

/** Entries that match all filters, newest first. */
export async function auditLines(store: Store, filter: AuditFilter): Promise<readonly AuditLine[]> {
  const { account } = filter;
  let query = store.db
    .selectFrom('audit')
    .selectAll('audit')
    .limit(filter.limit)
    .$if(account === undefined, (all) => all.orderBy('id', 'desc'))
    .$if(account !== undefined, (all) =>
      all
        .innerJoin('audit_accounts', 'line', 'id')
        .where('account_id', '=', account ?? '')
        .orderBy('line', 'desc'),
    );
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.kind !== undefined) query = query.where('subject_kind', '=', filter.kind);
  if (filter.id !== undefined) query = query.where('subject_id', '=', filter.id);
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (filter.before !== undefined) query = query.where('id', '<', filter.before);
  return (await query.execute()).map(fromRow);
}

function fromRow(row: Selectable<Database['audit']>): AuditLine {
  return {
    lineId: row.id,
    at: row.at,
    actor: row.actor,
    role: row.role,
    action: row.action,
    kind: row.subject_kind,
    id: row.subject_id,
    before: row.before === null ? undefined : ownJson(row.before),
    after: row.after === null ? undefined : ownJson(row.after),
    requestId: row.request_id ?? undefined,
    address: row.address ?? undefined,
    device: row.device ?? undefined,
  };
}

/** If a user belongs to more accounts, only this many see the change. */
const accountsMax = 100;

/**
 * The accounts whose audit logs list a change. They are fixed when the change is made: an account that a user joins
 * later does not list it. `own` is the account that the actor acts for.
 */
async function concernedAccounts(
  db: Kysely<Database>,
  { kind, id, accounts }: AccountConcern,
  own: string | undefined,
): Promise<readonly string[]> {
  if (accounts) return [...new Set(accounts)].slice(0, accountsMax);
  if (own !== undefined) return [own];
  if (kind === 'account' || kind === 'balance') return [id];
  if (kind === 'key') return accountOfKey(db, id);
  return kind === 'user' ? accountsOfUser(db, id) : [];
}

/** The accounts of a user. A sign-in event of the user concerns all of them. */
export async function accountsOfUser(db: Kysely<Database>, userId: string): Promise<readonly string[]> {
  const memberships = await membershipsOf(db, userId);
  return memberships.slice(0, accountsMax).map(({ accountId }) => accountId);
}

interface AccountConcern {
  readonly kind: string;
  readonly id: string;
  readonly accounts?: readonly string[] | undefined;
}

async function accountOfKey(db: Kysely<Database>, keyId: string): Promise<readonly string[]> {
  const keys = await db.selectFrom('api_keys').select('account_id').where('id', '=', keyId).execute();
  return keys.map((key) => key.account_id);
}
