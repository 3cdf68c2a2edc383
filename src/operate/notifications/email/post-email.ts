import type { Kysely } from 'kysely';
import type { SecretVault } from '../../../platform/secrets/secret-vault.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Database } from '../../../platform/store/database.ts';
import { addDeliveries, type DeliveryRow, newDeliveryId, progressFrom } from '../delivery.ts';
import type { Email } from './email.ts';

interface EmailOutboxParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly vault: SecretVault;
}

interface EmailOccasion {
  /** Id of the event. Each recipient gets one e-mail for each event. */
  readonly eventId?: string | undefined;
  /** The account whose daily quota applies. */
  readonly accountId?: string | undefined;
}

/** All e-mails share this endpoint: the mail server. It has claims and cooldowns like a webhook endpoint. */
const mailEndpoint = 'mail';
const mailServer = { id: mailEndpoint, channel: 'mail', name: 'mail', url: '', status: 'on', source: 'store' } as const;

/** Daily quota of an account, so that its invitations cannot be used for spam in our name. */
const emailsPerDayMax = 100;
const dayMs = 86_400_000;

/**
 * Adds an e-mail to the outbox. Call it in the transaction of its cause. The e-mail is stored sealed, because its link
 * may let the reader sign in. Returns false if the account has used up its daily quota; the user then passes the link
 * on.
 */
export async function postEmail(parts: EmailOutboxParts, email: Email, occasion: EmailOccasion = {}): Promise<boolean> {
  const { db, clock, vault } = parts;
  const { eventId, accountId } = occasion;
  if (eventId === undefined && accountId !== undefined && (await isOverQuota(parts, accountId))) return false;
  await ensureMailEndpoint(db, clock);
  const id = newDeliveryId();
  const content = { target: email.to, payload: vault.seal(ownerOf(id), JSON.stringify(email)) };
  await addDeliveries(db, [{ id, eventId, endpointId: mailEndpoint, accountId, createdAt: clock.now(), ...content }]);
  return true;
}

/** Undefined if the content is deleted or sealed with another secret. */
export function openEmail({ id, payload }: DeliveryRow, vault: SecretVault): Email | undefined {
  const opened = payload === null ? undefined : vault.open(ownerOf(id), payload);
  return opened?.ok ? (ownJson(opened.secret) as Email) : undefined;
}

async function isOverQuota({ db, clock }: EmailOutboxParts, accountId: string): Promise<boolean> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', mailEndpoint)
    .where('created_at', '>', clock.now() - dayMs)
    .executeTakeFirstOrThrow();
  return Number(count) >= emailsPerDayMax;
}

async function ensureMailEndpoint(db: Kysely<Database>, clock: Clock): Promise<void> {
  await db
    .insertInto('delivery_endpoints')
    .values({ ...mailServer, created_at: clock.now() })
    .onConflict((row) => row.column('id').doNothing())
    .execute();
}

/** The name that the content is sealed under. Changing it makes stored e-mails unreadable. */
export function ownerOf(id: string): string {
  return `email ${id}`;
}

/** The last e-mails without their content, newest first. */
export async function lastEmails(db: Kysely<Database>, limit: number) {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('endpoint_id', '=', mailEndpoint)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ to: row.target, ...progressFrom(row) }));
}
