import { type JobStatement, asks } from '../store/job.ts';
import { insertion } from '../store/row-statements.ts';
import type { Notice } from '../core/notice.ts';

/** Writes notices from inside a job, with what the job writes else. */
export function noticeAsks(notices: readonly Notice[]): readonly JobStatement[] {
  const rows = notices.map(({ id, kind, accountId, at, data }) => [
    id,
    kind,
    accountId ?? null,
    at,
    JSON.stringify(data),
  ]);
  return asks(insertNotices, rows);
}

const insertNotices = insertion('notices', {
  id: 'text',
  kind: 'text',
  account_id: 'text',
  at: 'bigint',
  data: 'text',
});
