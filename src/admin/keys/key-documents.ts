import { z } from 'zod';
import type { AccountId } from '../../accounts/ids.ts';
import { limitKey } from '../../accounts/key-limits.ts';
import { type ApiKey, createKey, keyState, keys, rotateKey, recordStoringEvent } from '../../accounts/keys.ts';
import { spentByKeys } from '../../billing/ledger/spend.ts';
import { duration } from '../../config/schema/duration.ts';
import { capPeriod, keyAddresses, keyModels, maxConcurrency, spendCap } from '../../config/schema/key-limits.ts';
import { contentVersion } from '../../core/content-version.ts';
import { decimalText, nanoFrom } from '../../core/money.ts';
import { requireAllowed } from '../requests/body-documents.ts';
import type { AdminCaller } from '../api/caller.ts';
import type { WriteOutcome } from '../api/endpoint.ts';
import { capFigures } from './key-caps.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused, invalidField } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import {
  documentAs,
  isoTimeOrNull,
  labelSchema,
  moneySchema,
  sentTime,
  timeSchema,
  versionSchema,
  recordFrom,
} from '../api/wire.ts';
import { broken, reason } from '../../core/reasons/reason.ts';

// The settings of a key that are on or off, as requests send them.

const honourSchema = z
  .boolean()
  .describe(
    'Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream.',
  );

const costSchema = z
  .boolean()
  .describe(
    'Whether the usage of its answers has `cost`, the charge as decimal text. JSON replies also have the header `x-gateway-cost`.',
  );

const storeSchema = z
  .boolean()
  .describe(
    'Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins.',
  );

const terms = {
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  display: z.string().describe('First and last characters of the secret.'),
  state: z.enum(['active', 'expired', 'revoked']),
  models: z.array(z.string()).nullable().describe('Allowed models. Null: all models that the account may use.'),
  spend_cap: z.string().nullable().describe('Spend cap, in total or per `cap_period`. Null: no cap of its own.'),
  cap_period: capPeriod
    .nullable()
    .describe('How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Null: never.'),
  max_concurrency: z
    .int()
    .nullable()
    .describe('Requests served at once, over all gateway processes. Further requests wait. Null: no limit.'),
  addresses: z
    .array(z.string())
    .nullable()
    .describe('IP addresses and ranges from which it may be used. Null: anywhere.'),
  honour_stream_false: z
    .boolean()
    .describe('Whether `stream: false` gets one JSON body on the chat surface, even if the site does not enable that.'),
  report_cost: costSchema,
  store_bodies: z
    .boolean()
    .describe(
      'Whether bodies of requests and answers are stored, encrypted and for a limited time, where that is allowed.',
    ),
  created_at: timeSchema,
  expires_at: timeSchema.nullable(),
  revoked_at: timeSchema.nullable(),
  last_used_at: timeSchema.nullable().describe('Last use, up to a minute late.'),
  rotated_from: z.string().nullable().describe('Id of the key that it replaced.'),
  first_id: z.string().describe('Id of the first key of its rotations. They share their spend cap.'),
  version: versionSchema,
};

const schema = z.strictObject({
  ...terms,
  spent: moneySchema.describe('Total charged for its requests so far.'),
  cap_spent: moneySchema
    .nullable()
    .describe('Spend that counts against the cap: in this period, including the keys that it replaced.'),
  cap_renews_at: timeSchema.nullable().describe('Next reset of the cap. Null: never.'),
});

/** A change of the other fields does not change the version. */
const contentFields = z
  .object(terms)
  .omit({ state: true, last_used_at: true, rotated_from: true, first_id: true, version: true }).shape;

type KeyTermsInput = z.input<z.ZodObject<typeof terms>>;
export type KeyDocument = z.input<typeof schema>;

export const newKeyFields = {
  name: labelSchema,
  models: keyModels.optional().describe('Ids, aliases or patterns. Default: all models that the account may use.'),
  expires_at: sentTime.optional().describe('When it expires. Default: never.'),
  spend_cap: spendCap.optional().describe('Spend cap, in total or per `cap_period`.'),
  cap_period: capPeriod
    .optional()
    .describe('How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Default: never.'),
  max_concurrency: maxConcurrency
    .optional()
    .describe('Requests served at once, over all gateway processes. Further requests wait. Default: no limit.'),
  addresses: keyAddresses.optional().describe('IP addresses and ranges from which it may be used. Default: anywhere.'),
  honour_stream_false: honourSchema.optional(),
  report_cost: costSchema.optional(),
  store_bodies: storeSchema.optional(),
};

export const graceSchema = z.strictObject({
  grace: z
    .union([z.literal('now'), duration])
    .describe('How long the old key stays valid: a duration such as 1h or 24h, or `now` to revoke it immediately.'),
});

/** A change of a key. Fields that are left out stay unchanged. */
export const keyLimitsSchema = z.strictObject({
  name: labelSchema.optional(),
  models: keyModels.nullable().optional().describe('Null removes the limit.'),
  spend_cap: spendCap.nullable().optional().describe('Null removes the cap and its period.'),
  cap_period: capPeriod.nullable().optional().describe('Null: the cap never resets.'),
  max_concurrency: maxConcurrency.nullable().optional().describe('Null: no limit.'),
  addresses: keyAddresses.nullable().optional().describe('Null: anywhere.'),
  expires_at: sentTime.nullable().optional().describe('Null: never.'),
  honour_stream_false: honourSchema.optional(),
  report_cost: costSchema.optional(),
  store_bodies: storeSchema.optional(),
});

export const keyReply = { name: 'Key', schema };
export const keyPageReply = pageOf(keyReply);
export const createdKeyReply = {
  name: 'CreatedKey',
  schema: schema.extend({ secret: z.string().describe('Shown only once.') }),
};
export const keyPageQuery = {
  ...pageQuery(z.tuple([z.number(), z.string()])),
  order: z.enum(['oldest', 'newest']).default('oldest').describe('Order by creation time.'),
  q: z.string().trim().min(1).max(64).optional().describe('Only keys whose `name` or `display` contains this text.'),
  temporary: z
    .stringbool()
    .default(false)
    .describe('Also list the temporary keys that the playground creates for an hour.'),
};

export async function keyDocument(parts: AdminParts, key: ApiKey): Promise<KeyDocument> {
  const shown = await keyDocuments(parts, [key]);
  return shown(key);
}

/** Reads the spend of all these keys at once. The result builds the document of each. */
async function keyDocuments(parts: AdminParts, listed: readonly ApiKey[]): Promise<(key: ApiKey) => KeyDocument> {
  const now = parts.clock.now();
  const ids = listed.map(({ id }) => id);
  const spent = await spentByKeys(parts.store, ids);
  const capOf = await capFigures(parts, listed);
  return (key) => ({ ...termsDocument(key, now), spent: decimalText(spent.get(key.id) ?? 0n), ...capOf(key) });
}

/** A key without its spend. The audit log compares these documents. */
function termsDocument(key: ApiKey, now: number): KeyTermsInput {
  const fields = documentAs(contentFields, key);
  const status = { state: keyState(key, now), last_used_at: isoTimeOrNull(key.lastUsedAt) };
  const rotations = { rotated_from: key.rotatedFrom ?? null, first_id: key.firstId };
  return { ...fields, ...status, ...rotations, version: contentVersion(fields) };
}

/** `If-Match` for writes to a key. If `accountOf` returns an account, only to keys of that account. */
export function versionedKey(accountOf: (caller: AdminCaller) => AccountId | undefined = () => undefined): Versioned {
  return {
    kind: 'key',
    lock: 'api-keys',
    current: async (parts, id, caller) => termsDocument(await keyAt(parts, id, accountOf(caller)), parts.clock.now()),
  };
}

/** Throws `key_not_found` unless a key has this id, and belongs to the account if one is given. */
export async function keyAt({ store, clock }: AdminParts, id: string, accountId?: AccountId): Promise<ApiKey> {
  const candidates = await keys(store, clock).find(id);
  const key = candidates.find((each) => each.id === id && (accountId === undefined || each.accountId === accountId));
  if (!key) throw missing('key');
  return key;
}

interface KeyPage extends z.output<z.ZodObject<typeof keyPageQuery>> {
  readonly accountId: AccountId | undefined;
}

export async function keyPage(parts: AdminParts, { accountId, order, q, temporary, limit, cursor }: KeyPage) {
  const { store, clock } = parts;
  const after = cursor && { createdAt: cursor[0], id: cursor[1] };
  const rows = await keys(store, clock).list({
    accountId,
    text: q,
    isNewestFirst: order === 'newest',
    withTemporary: temporary,
    after,
    limit: limit + 1,
  });
  return page(rows, limit, { shown: await keyDocuments(parts, rows), position: (key) => [key.createdAt, key.id] });
}

const newKeySchema = z.strictObject(newKeyFields);
type NewKeyInput = z.output<typeof newKeySchema> & { readonly isTemporary?: boolean };

export async function makeKey(parts: AdminParts, accountId: AccountId, input: NewKeyInput) {
  const now = parts.clock.now();
  refusePast(input.expires_at, now);
  requireAllowed(parts, input.store_bodies);
  const { spend_cap: cap } = input;
  if (input.cap_period !== undefined && cap === undefined) throw periodWithoutCap();
  const spendCap = cap === undefined ? undefined : nanoFrom(cap);
  const { key, secret } = await createKey(parts, { ...recordFrom(input), accountId, spendCap });
  const after = termsDocument(key, now);
  return { reply: { ...(await keyDocument(parts, key)), secret }, change: { kind: 'key', id: key.id, after } };
}

/** Creates a key with the same terms. The old one ends after the grace period. */
export async function replaceKey(parts: AdminParts, before: ApiKey, { grace }: z.output<typeof graceSchema>) {
  const now = parts.clock.now();
  const rotated = await rotateKey(parts, before.id, { graceMs: grace === 'now' ? 0 : grace });
  if (!rotated) throw refused(reason('key_not_valid'));
  const after = { old: termsDocument(rotated.old, now), new: termsDocument(rotated.key, now) };
  const change = { kind: 'key', id: before.id, before: termsDocument(before, now), after };
  return { reply: { ...(await keyDocument(parts, rotated.key)), secret: rotated.secret }, change };
}

export async function revokeKey(
  parts: AdminParts,
  before: ApiKey,
  options: { readonly terminateStreams?: boolean } = {},
) {
  const wasActive = await keys(parts.store, parts.clock).revoke(before.id, options);
  const outcome = await changedKey(parts, before);
  return wasActive || options.terminateStreams ? outcome : { reply: outcome.reply };
}

export async function changeKey(parts: AdminParts, before: ApiKey, input: z.output<typeof keyLimitsSchema>) {
  refusePast(input.expires_at ?? undefined, parts.clock.now());
  const startsStoring = input.store_bodies === true && !before.storeBodies;
  requireAllowed(parts, startsStoring);
  const { spend_cap: cap, cap_period: period } = input;
  const isCapped = cap === undefined ? before.spendCap !== undefined : cap !== null;
  if (period !== undefined && period !== null && !isCapped) throw periodWithoutCap();
  const spendCap = typeof cap === 'string' ? nanoFrom(cap) : cap;
  await limitKey(parts.store, before.id, { ...recordFrom(input), spendCap, capPeriod: isCapped ? period : null });
  if (startsStoring) await recordStoringEvent(parts.store.db, before, parts.clock.now());
  return changedKey(parts, before);
}

function periodWithoutCap() {
  return invalidField('cap_period', broken('period_without_cap'), 'Send a `spend_cap` too.');
}

async function changedKey(parts: AdminParts, before: ApiKey): Promise<WriteOutcome & { readonly reply: KeyDocument }> {
  const now = parts.clock.now();
  const key = await keyAt(parts, before.id);
  const after = termsDocument(key, now);
  return {
    reply: await keyDocument(parts, key),
    change: { kind: 'key', id: before.id, before: termsDocument(before, now), after },
  };
}

function refusePast(expiresAt: number | undefined, now: number): void {
  if (expiresAt !== undefined && expiresAt <= now)
    throw invalidField('expires_at', broken('time_has_passed'), 'Send a later time.');
}
