import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { type Member, memberRoles } from '../../../money/accounts/members.ts';
import { memberSubject } from '../../../core/limit.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { accountAt } from '../accounts/accounts.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';
import { limitEntries, limitsDocument, limitsField, limitWindows, windowsField } from '../limits/limit-documents.ts';
import type { AdminParts } from '../parts.ts';
import { issuedEntry, issuedFields } from './issued-documents.ts';

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
  schema: schema.extend(issuedFields),
  inside: [...limitEntries, issuedEntry],
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
