import type { Kysely } from 'kysely';
import { randomBase62 } from '../../../money/accounts/base62.ts';
import type { SecretVault } from '../../../platform/secrets/secret-vault.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { AlertKind } from '../../../core/outbox-event.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Database } from '../../../platform/store/database.ts';
import { type EndpointRow, noFailures } from '../delivery.ts';

export interface WebhookEndpoint {
  readonly id: string;
  /** Undefined: an endpoint of the operators. */
  readonly accountId: string | undefined;
  readonly name: string;
  readonly url: string;
  /** Subscribed events; undefined: all events of its account, or of the gateway, except `namedOnlyKind`. */
  readonly kinds: readonly AlertKind[] | undefined;
  readonly status: 'on' | 'paused' | 'failed';
  readonly source: 'file' | 'store';
  readonly createdAt: number;
  readonly failingSince: number | undefined;
  /** End of the time in which the previous secret signs too. */
  readonly oldSecretUntil: number | undefined;
}

/** For each account, and for the operators. */
export const webhookEndpointsMax = 20;

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'accountId' | 'name' | 'url' | 'kinds'>;

interface WebhookParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly vault: SecretVault;
}

/** Returns the secret this once. The store has it sealed. */
export async function createWebhookEndpoint({ db, clock, vault }: WebhookParts, input: NewWebhookEndpoint) {
  const id = `whk_${randomBase62(16)}`;
  const secret = newSecret();
  const row = {
    id,
    channel: 'webhook' as const,
    account_id: input.accountId ?? null,
    name: input.name,
    url: input.url,
    kinds: kindsText(input.kinds),
    secret: vault.seal(ownerOf(id), secret),
    status: 'on' as const,
    source: 'store' as const,
    created_at: clock.now(),
  };
  await db.insertInto('delivery_endpoints').values(row).execute();
  return { secret, endpoint: await endpointAt(db, id) };
}

/** The endpoints of an account or of the operators, oldest first. */
export async function webhookEndpointsOf(
  db: Kysely<Database>,
  accountId: string | undefined,
): Promise<readonly WebhookEndpoint[]> {
  const all = db.selectFrom('delivery_endpoints').selectAll().where('channel', '=', 'webhook');
  const owned = accountId === undefined ? all.where('account_id', 'is', null) : all.where('account_id', '=', accountId);
  return (await owned.orderBy('created_at').orderBy('id').execute()).map(endpointFrom);
}

export async function findWebhookEndpoint(db: Kysely<Database>, id: string): Promise<WebhookEndpoint | undefined> {
  const rows = db.selectFrom('delivery_endpoints').selectAll().where('channel', '=', 'webhook').where('id', '=', id);
  const row = await rows.executeTakeFirst();
  return row && endpointFrom(row);
}

async function endpointAt(db: Kysely<Database>, id: string): Promise<WebhookEndpoint> {
  const endpoint = await findWebhookEndpoint(db, id);
  if (!endpoint) throw new Error(`webhook endpoint ${id} does not exist`);
  return endpoint;
}

export interface EndpointChange {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly kinds?: readonly AlertKind[] | null | undefined;
  readonly isOn?: boolean | undefined;
}

/** Changes the given fields. Switching an endpoint on resets its failures, so that it is tried at once. */
export async function changeWebhookEndpoint(
  db: Kysely<Database>,
  id: string,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const { name, url, kinds, isOn } = change;
  const set = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(kinds !== undefined && { kinds: kindsText(kinds ?? undefined) }),
    ...(isOn !== undefined && (isOn ? { status: 'on' as const, ...noFailures } : { status: 'paused' as const })),
  };
  if (Object.keys(set).length > 0) await db.updateTable('delivery_endpoints').set(set).where('id', '=', id).execute();
  return endpointAt(db, id);
}

/** Creates a new secret and returns it this once. The previous secret signs too until `until`. */
export async function rotateSecret({ db, vault }: Omit<WebhookParts, 'clock'>, id: string, until: number) {
  const secret = newSecret();
  await db
    .updateTable('delivery_endpoints')
    .set((row) => ({ old_secret: row.ref('secret'), old_secret_until: until }))
    .where('id', '=', id)
    .execute();
  const sealed = vault.seal(ownerOf(id), secret);
  await db.updateTable('delivery_endpoints').set({ secret: sealed }).where('id', '=', id).execute();
  return { secret, endpoint: await endpointAt(db, id) };
}

/** Also deletes its deliveries, waiting ones included. */
export async function removeWebhookEndpoint(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('deliveries').where('endpoint_id', '=', id).execute();
  await db.deleteFrom('delivery_endpoints').where('id', '=', id).execute();
}

/** Secrets that sign at `now`, the newer first. Empty if none can be opened. */
export function secretsOf(row: EndpointRow, vault: SecretVault, now: number): readonly string[] {
  const isOldValid = row.old_secret_until !== null && row.old_secret_until > now;
  return [row.secret, isOldValid ? row.old_secret : null].flatMap((sealed) => {
    const opened = sealed === null ? undefined : vault.open(ownerOf(row.id), sealed);
    return opened?.ok ? [opened.secret] : [];
  });
}

export function kindsText(kinds: readonly AlertKind[] | undefined): string | null {
  return kinds ? JSON.stringify(kinds) : null;
}

export function endpointFrom(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    accountId: row.account_id ?? undefined,
    name: row.name,
    url: row.url,
    kinds: row.kinds === null ? undefined : (ownJson(row.kinds) as AlertKind[]),
    status: row.status,
    source: row.source,
    createdAt: row.created_at,
    failingSince: row.failing_since ?? undefined,
    oldSecretUntil: row.old_secret_until ?? undefined,
  };
}

function newSecret(): string {
  return `whsec_${randomBase62(40)}`;
}

/** The name that the secret is sealed under. Changing it makes stored secrets unreadable. */
export function ownerOf(id: string): string {
  return `webhook ${id}`;
}
