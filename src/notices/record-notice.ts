import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Notice, NoticeKind } from '../core/notice.ts';

/** A notice that has no id yet. */
export type NewNotice = Omit<Notice, 'id'>;

/** Belongs into the transaction of what happened: both are there or neither. Whoever sends it finds it there. */
export async function recordNotice(db: Kysely<Database>, notice: NewNotice): Promise<Notice> {
  const made = { ...notice, id: newNoticeId() };
  await db.insertInto('notices').values(noticeRow(made)).execute();
  return made;
}

export function newNoticeId(): string {
  return `evt_${randomBytes(12).toString('hex')}`;
}

/** A notice as its table has it; nobody has been found for it yet. */
export function noticeRow({ id, kind, accountId, at, data }: Notice): OutboxRow {
  return { id, kind, account_id: accountId ?? null, at, data: JSON.stringify(data), shared_at: null };
}

export function noticeFrom({ id, kind, account_id: accountId, at, data }: Omit<OutboxRow, 'shared_at'>): Notice {
  return {
    id,
    kind: kind as NoticeKind,
    accountId: accountId ?? undefined,
    at,
    data: JSON.parse(data) as Notice['data'],
  };
}

type OutboxRow = Selectable<Database['notices']>;
