import type { FindingList, FindingSubject } from '../findings.ts';
import type { Row } from '../table-reader.ts';
import { recordOf, valuesOf } from '../values.ts';

const perModel = ['model_rpm_limit', 'model_tpm_limit', 'model_itpm_limit', 'model_otpm_limit', 'tag_rpm_limit'];

/**
 * Limits of tokens and requests per minute are not taken: the gateway queues requests. Only keys and members have a
 * concurrency limit.
 */
export function reportRates(row: Row, subject: FindingSubject, findings: FindingList): void {
  const isGroup = subject.kind === 'account' || subject.kind === 'organisation';
  const columns = ['tpm_limit', 'rpm_limit', ...(isGroup ? ['max_parallel_requests'] : [])];
  const set = columns.filter((column) => row[column] !== undefined && row[column] !== null);
  const metadata = valuesOf(row['metadata']);
  const named = perModel.flatMap((name) => {
    const models = Object.keys(recordOf(metadata[name] ?? valuesOf(row[name])));
    return models.length > 0 ? [`${name} of ${models.join(', ')}`] : [];
  });
  const limits = [...set.map((column) => `${column} ${row[column] ?? ''}`), ...named].join(', ');
  if (limits !== '') findings.add('request_rates', subject, { limits });
}
