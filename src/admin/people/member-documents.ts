import { z } from 'zod';
import type { AccountId } from '../../accounts/ids.ts';
import { keys, keyState } from '../../accounts/keys.ts';
import { type Member, memberRoles } from '../../accounts/members.ts';
import { memberSubject } from '../../core/limit.ts';
import { contentVersion } from '../../core/content-version.ts';
import { auditLines } from '../audit/audit.ts';
import { accountAt } from '../accounts/accounts.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';
import { limitEntries, limitsDocument, limitsField, limitWindows, windowsField } from '../limits/limit-documents.ts';
import type { AdminParts } from '../parts.ts';

const content = {
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z
    .enum(memberRoles)
    .describe(
      '`owner`: everything. `member`: reads everything, and changes only keys that count for the member. `viewer`: read-only.',
    ),
  ...limitsField,
  models: z.array(z.string()).nullable().describe('Models that their keys may use. Null: no limit of their own.'),
  max_concurrency: z
    .int()
    .nullable()
    .describe('Requests that all their keys together may run at once. Further requests wait. Null: no limit.'),
  since: timeSchema,
  version: versionSchema,
};

const schema = z.strictObject({
  ...content,
  ...windowsField,
  keys: z.int().describe('Number of keys that count for the member and are not revoked.'),
});

export const memberReply = { name: 'Member', schema, inside: limitEntries };
export const removedMemberReply = {
  name: 'RemovedMember',
  schema: schema.extend({
    known_keys: z
      .array(z.strictObject({ id: z.string(), name: z.string() }))
      .describe('Active keys whose secret the member received, and which do not count for the member. Rotate them.'),
  }),
  inside: limitEntries,
};
export const memberListReply = { name: 'MemberList', schema: z.strictObject({ data: z.array(schema) }) };

export type MemberDocument = z.input<typeof schema>;

/** A member without figures. The audit log compares these documents. */
export function memberContent(member: Member): z.input<z.ZodObject<typeof content>> {
  const { userId: id, email, name, role, models, maxConcurrency, createdAt } = member;
  const limits = limitsDocument(member.limits);
  const terms = { role, limits, models: models ? [...models] : null, max_concurrency: maxConcurrency ?? null };
  return { id, email, name, ...terms, since: isoTime(createdAt), version: contentVersion({ id, ...terms }) };
}

export async function memberDocument(parts: AdminParts, accountId: AccountId, member: Member): Promise<MemberDocument> {
  const [document] = await memberDocuments(parts, accountId, [member]);
  return document as MemberDocument;
}

/** Reads what the keys of all these members have spent at once. */
export async function memberDocuments(
  parts: AdminParts,
  accountId: AccountId,
  members: readonly Member[],
): Promise<MemberDocument[]> {
  const { timeZone, keptSpans } = await accountAt(parts, accountId);
  const windows = await limitWindows(
    parts,
    members.map(({ userId, limits }) => ({
      scope: 'member',
      subjectId: memberSubject(accountId, userId),
      accountId,
      limits,
      timeZone,
      keptSpans,
    })),
  );
  const counts = await keyCounts(parts, accountId);
  return members.map((member, index) => ({
    ...memberContent(member),
    windows: windows[index] ?? [],
    keys: counts.get(member.userId) ?? 0,
  }));
}

const knownKeysMax = 1000;

/** Active keys of the account that this user created or rotated: the user may still have their secrets. */
export async function keysKnownTo({ store, clock }: AdminParts, accountId: AccountId, email: string) {
  const lines = { account: accountId, actor: email, limit: knownKeysMax };
  const created = await auditLines(store, { ...lines, action: 'createOwnKey' });
  const rotated = await auditLines(store, { ...lines, action: 'rotateOwnKey' });
  const renewed = rotated.map(({ after }) => (after as { readonly new: { readonly id: string } }).new.id);
  const known = new Set([...created.map(({ id }) => id), ...renewed]);
  const active = (await keys(store, clock).list({ accountId })).filter(
    (key) => keyState(key, clock.now()) === 'active',
  );
  return active.filter(({ id }) => known.has(id)).map(({ id, name }) => ({ id, name }));
}

async function keyCounts({ store }: AdminParts, accountId: AccountId): Promise<ReadonlyMap<string | null, number>> {
  const rows = await store.db
    .selectFrom('api_keys')
    .select(({ fn }) => ['member_id', fn.countAll<string | number>().as('keys')])
    .where('account_id', '=', accountId)
    .where('member_id', 'is not', null)
    .where('revoked_at', 'is', null)
    .where('temporary', '=', 0)
    .groupBy('member_id')
    .execute();
  return new Map(rows.map(({ member_id: member, keys }) => [member, Number(keys)]));
}
