import type { Kysely, Selectable } from 'kysely';
import { randomBase62 } from '../accounts/base62.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Clock } from '../core/clock.ts';
import type { AlertKind } from '../core/outbox-event.ts';
import type { Database } from '../store/database.ts';

/** An address that is told what happens. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Whose it is; nothing: the operators'. */
  readonly accountId: string | undefined;
  readonly name: string;
  readonly url: string;
  /** What it is told of; nothing: all that concerns it. */
  readonly kinds: readonly AlertKind[] | undefined;
  readonly status: 'on' | 'paused' | 'failed';
  readonly source: 'file' | 'store';
  readonly createdAt: number;
  readonly failingSince: number | undefined;
  /** Until when the secret before signs too. */
  readonly oldSecretUntil: number | undefined;
}

/** The most that an account, or the operators, may have. */
export const webhookEndpointsMax = 20;

export interface NewWebhookEndpoint {
  readonly accountId: string | undefined;
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly AlertKind[] | undefined;
}

interface WebhookParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly vault: SecretVault;
}

/** Makes one. Its secret is told this once, and kept sealed. */
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
  await db.insertInto('receivers').values(row).execute();
  return { secret, receiver: await endpointAt(db, id) };
}

/** Those of an account, or of the operators, oldest first. */
export async function webhookEndpointsOf(
  db: Kysely<Database>,
  accountId: string | undefined,
): Promise<readonly WebhookEndpoint[]> {
  const all = db.selectFrom('receivers').selectAll().where('channel', '=', 'webhook');
  const owned = accountId === undefined ? all.where('account_id', 'is', null) : all.where('account_id', '=', accountId);
  return (await owned.orderBy('created_at').orderBy('id').execute()).map(endpointFrom);
}

export async function findWebhookEndpoint(db: Kysely<Database>, id: string): Promise<WebhookEndpoint | undefined> {
  const rows = db.selectFrom('receivers').selectAll().where('channel', '=', 'webhook').where('id', '=', id);
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

/** Changes what is said. One that is switched on again begins without a past, so that it is tried at once. */
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
  if (Object.keys(set).length > 0) await db.updateTable('receivers').set(set).where('id', '=', id).execute();
  return endpointAt(db, id);
}

/** As a receiver is that never failed. */
export const noFailures = { failing_since: null, failures: 0, rest_until: 0 } as const;

/** Gives it another secret; the one before signs too until then. */
export async function rotateSecret({ db, vault }: Omit<WebhookParts, 'clock'>, id: string, until: number) {
  const secret = newSecret();
  await db
    .updateTable('receivers')
    .set((row) => ({ old_secret: row.ref('secret'), old_secret_until: until }))
    .where('id', '=', id)
    .execute();
  const sealed = vault.seal(ownerOf(id), secret);
  await db.updateTable('receivers').set({ secret: sealed }).where('id', '=', id).execute();
  return { secret, receiver: await endpointAt(db, id) };
}

/** What was on its way to it is not sent any more. */
export async function removeWebhookEndpoint(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('deliveries').where('receiver_id', '=', id).execute();
  await db.deleteFrom('receivers').where('id', '=', id).execute();
}

export type EndpointRow = Selectable<Database['receivers']>;

/** What signs for it at a moment, the newer first; none where nothing could be opened. */
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
    kinds: row.kinds === null ? undefined : (JSON.parse(row.kinds) as AlertKind[]),
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

/** What it is sealed for. */
export function ownerOf(id: string): string {
  return `webhook ${id}`;
}
