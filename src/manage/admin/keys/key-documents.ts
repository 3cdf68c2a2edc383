import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { membershipsOf } from '../../../money/accounts/members.ts';
import { emailsOf } from '../../../money/accounts/names.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { limitKey } from '../../../money/accounts/key-limits.ts';
import { type ForeignSecret, importKey, importLock } from '../../../money/accounts/import-key.ts';
import {
  type ApiKey,
  createKey,
  keyState,
  keys,
  type NewKey,
  recordStoringEvent,
  rotateKey,
} from '../../../money/accounts/keys.ts';
import { spentByKeys } from '../../../money/billing/ledger/spend.ts';
import { duration } from '../../../platform/config/schema/values/duration.ts';
import {
  capPeriod,
  keyAddresses,
  keyModels,
  maxConcurrency,
  spendCap,
} from '../../../platform/config/schema/key-limits.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { decimalText, nanoFrom } from '../../../core/money.ts';
import { type AdminCaller, ownAccount, requireKeyRight } from '../api/caller.ts';
import type { WriteOutcome } from '../api/endpoint.ts';
import { capFigures } from './key-caps.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused, invalidField } from '../api/sent-values.ts';
import { takeLock, type Versioned } from '../api/versioned.ts';
import {
  documentAs,
  isoTimeOrNull,
  labelSchema,
  moneySchema,
  sentTime,
  idSchema,
  timeSchema,
  versionSchema,
  recordFrom,
} from '../api/wire.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';

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
  member_id: z
    .string()
    .nullable()
    .describe('The member for whom it counts: their limits and models hold for it too. Null: none.'),
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
  member: z.string().nullable().describe('E-mail address of the member.'),
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
  member: idSchema
    .nullable()
    .optional()
    .describe(
      'Id of the member for whom it counts. Default: the user who creates it. Null: none. Only owners and operators name another.',
    ),
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
  member: idSchema
    .nullable()
    .optional()
    .describe('Id of the member for whom it counts. Null: none. Only owners and operators change it.'),
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
  const emails = await emailsOf(
    parts.store,
    listed.map(({ memberId }) => memberId ?? null),
  );
  return (key) => {
    const member = emails.get(key.memberId ?? '') ?? null;
    return { ...termsDocument(key, now), member, spent: decimalText(spent.get(key.id) ?? 0n), ...capOf(key) };
  };
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

/** The key of this id, which the caller may change. Throws `forbidden` for a key of another member. */
export async function changeableKeyAt(parts: AdminParts, id: string, caller: AdminCaller): Promise<ApiKey> {
  const key = await keyAt(parts, id, ownAccount(caller));
  await requireKeyRight(parts.store, key.id, caller);
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

/** The key that the fields describe. Throws if their values do not fit together or are not allowed now. */
async function newKeyFrom(parts: AdminParts, owner: KeyOwner, { member, ...input }: NewKeyInput): Promise<NewKey> {
  const { accountId } = owner;
  const memberId = await memberOf(parts, owner, member === undefined ? owner.caller.id : member);
  refusePast(input.expires_at, parts.clock.now());
  requireBodiesAllowed(parts, input.store_bodies);
  const { spend_cap: cap } = input;
  if (input.cap_period !== undefined && cap === undefined) throw periodWithoutCap();
  const spendCap = cap === undefined ? undefined : nanoFrom(cap);
  return { ...recordFrom(input), accountId, memberId, spendCap };
}

export async function makeKey(parts: AdminParts, owner: KeyOwner, input: NewKeyInput) {
  const now = parts.clock.now();
  const { key, secret } = await createKey(parts, await newKeyFrom(parts, owner, input));
  const after = termsDocument(key, now);
  return { reply: { ...(await keyDocument(parts, key)), secret }, change: { kind: 'key', id: key.id, after } };
}

/** The account of a key, and the caller that creates or changes it. */
interface KeyOwner {
  readonly accountId: AccountId;
  readonly caller: AdminCaller;
}

/** The member for whom a key shall count. A user without the right to choose gets keys for themselves only. */
async function memberOf(
  { store }: AdminParts,
  { accountId, caller }: KeyOwner,
  wanted: string | null,
): Promise<string | undefined> {
  const isOwn = wanted === caller.id;
  if (!isOwn && caller.memberRole !== 'owner') {
    throw new GatewayError('forbidden', { reason: reason('key_member_needs_owner') });
  }
  if (wanted === null) return undefined;
  const memberships = await membershipsOf(store.db, wanted);
  if (memberships.some((membership) => membership.accountId === accountId)) return wanted;
  // A token or an operator creates a key for no member.
  if (isOwn) return undefined;
  throw invalidField('member', broken('not_a_member_id'), 'Invite them first.');
}

export const importedKeySchema = z.strictObject({
  ...newKeyFields,
  secret: z.string().max(1024).optional().describe('The key as clients send it. It is not stored.'),
  sha256: z
    .string()
    .max(64)
    .optional()
    .describe('Instead of `secret`: the SHA-256 digest of the key, in hexadecimal. It is replaced at the first use.'),
  scheme: z
    .enum(['plain', 'new-api'])
    .optional()
    .describe(
      'With `new-api`, for keys of new-api and one-api, clients may send `sk-` in front of the key or leave it out. Default: `plain`, exactly the key.',
    ),
});

export const importedKeyReply = {
  name: 'ImportedKey',
  schema: schema.extend({
    is_new: z.boolean().describe('False if the account already had the key, which is unchanged.'),
  }),
};

/** Imports a key of another product. The key that an account already has stays as it is. */
export async function importForeignKey(
  parts: AdminParts,
  owner: KeyOwner,
  { secret, sha256, scheme, ...input }: z.output<typeof importedKeySchema>,
) {
  const foreign = foreignSecret(secret, sha256, scheme);
  await takeLock(parts.store, importLock.lock);
  const { key, isNew } = await importKey(parts.store.db, parts, await newKeyFrom(parts, owner, input), foreign);
  const after = termsDocument(key, parts.clock.now());
  const reply = { ...(await keyDocument(parts, key)), is_new: isNew };
  return isNew ? { reply, change: { kind: 'key', id: key.id, after } } : { reply };
}

function foreignSecret(
  secret: string | undefined,
  sha256: string | undefined,
  scheme: 'plain' | 'new-api' | undefined,
): ForeignSecret {
  if (secret !== undefined && sha256 === undefined) return { scheme: scheme ?? 'plain', secret };
  if (secret !== undefined || sha256 === undefined) throw invalidField('', broken('secret_or_digest'));
  if (scheme === 'new-api') throw invalidField('scheme', broken('not_for_digests'));
  return { scheme: 'sha256', sha256 };
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

export async function changeKey(
  parts: AdminParts,
  { before, caller }: { readonly before: ApiKey; readonly caller: AdminCaller },
  { member, ...input }: z.output<typeof keyLimitsSchema>,
) {
  const isMoved = member !== undefined && member !== (before.memberId ?? null);
  const owner = { accountId: before.accountId, caller };
  const memberId = isMoved ? ((await memberOf(parts, owner, member)) ?? null) : undefined;
  refusePast(input.expires_at ?? undefined, parts.clock.now());
  const startsStoring = input.store_bodies === true && !before.storeBodies;
  requireBodiesAllowed(parts, startsStoring);
  const { spend_cap: cap, cap_period: period } = input;
  const isCapped = cap === undefined ? before.spendCap !== undefined : cap !== null;
  if (period !== undefined && period !== null && !isCapped) throw periodWithoutCap();
  const spendCap = typeof cap === 'string' ? nanoFrom(cap) : cap;
  await limitKey(parts.store, before.id, {
    ...recordFrom(input),
    memberId,
    spendCap,
    capPeriod: isCapped ? period : null,
  });
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

/** Throws if bodies are to be stored and the configuration does not allow it. */
function requireBodiesAllowed(parts: Pick<AdminParts, 'storedBodies'>, isWanted: boolean | undefined): void {
  if (isWanted && !parts.storedBodies()) {
    throw refused(reason('bodies_not_allowed'));
  }
}
