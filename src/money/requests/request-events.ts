import { decimalText } from '../../core/money.ts';
import type { OutboxEvent } from '../../core/outbox-event.ts';
import { newEventId } from '../../platform/outbox/record-event.ts';
import type { JobStatement, Row } from '../../platform/store/job.ts';
import type { RequestRecord } from './request-record.ts';

const kind = 'request.completed';

/** Reads the accounts with a webhook endpoint for completed requests. An endpoint of the operators has no account. */
export const requestSubscribers: JobStatement = {
  statement: {
    name: 'request subscribers',
    sqlite: selection('?1'),
    postgres: selection('$1'),
  },
  parameter: `%"${kind}"%`,
};

function selection(parameter: string): string {
  const where = `channel = 'webhook' and status = 'on' and kinds like ${parameter}`;
  return `select distinct account_id from delivery_endpoints where ${where}`;
}

/** Returns an event for each request that a webhook endpoint subscribes to. */
export function requestEvents(records: readonly RequestRecord[], subscribers: readonly Row[]): readonly OutboxEvent[] {
  if (subscribers.length === 0) return [];
  const accounts = new Set(subscribers.map(({ account_id: id }) => id));
  const wanted = accounts.has(null) ? records : records.filter(({ accountId }) => accounts.has(accountId));
  return wanted.map((record) => ({
    id: newEventId(),
    kind,
    accountId: record.accountId,
    at: record.startedAt + record.durationMs,
    data: {
      request_id: record.id,
      key_id: record.keyId,
      model: record.model ?? null,
      status: record.status,
      error: record.errorCase ?? null,
      prompt_tokens: record.promptTokens ?? null,
      completion_tokens: record.completionTokens ?? null,
      cost: decimalText(record.cost ?? 0n),
      duration_ms: Math.round(record.durationMs),
    },
  }));
}
