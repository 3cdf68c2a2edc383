import type { FindingList, FindingSubject } from '../findings.ts';
import type { Row } from '../table-reader.ts';

/**
 * Limits of tokens and requests per minute are not taken: the gateway queues requests. Only keys and members have a
 * concurrency limit.
 */
export function reportRates(row: Row, subject: FindingSubject, findings: FindingList): void {
  const isGroup = subject.kind === 'account' || subject.kind === 'organisation';
  const columns = ['tpm_limit', 'rpm_limit', ...(isGroup ? ['max_parallel_requests'] : [])];
  const set = columns.filter((column) => row[column] !== undefined && row[column] !== null);
  const limits = set.map((column) => `${column} ${row[column] ?? ''}`).join(', ');
  if (set.length > 0) findings.add('request_rates', subject, { limits });
}
