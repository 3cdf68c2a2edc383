import { expect, it } from 'vitest';
import { requestQuery } from './request-query.ts';

const now = Date.parse('2026-05-02T12:00:00Z');

it.each([
  [{}, {}],
  [{ status: '5xx' }, { status_class: '5xx' }],
  [{ status: '502' }, { status: '502' }],
  [{ status: 'failed' }, { errors_only: true }],
  // Order and live mode do not affect an exported table.
  [{ error_case: 'access-denied', order: 'slowest', live: 'on' }, { error_case: 'access-denied' }],
  [{ range: 'day' }, { since: '2026-05-01T12:00:00.000Z' }],
  [
    { range: 'custom', since: 'a', until: 'b' },
    { since: 'a', until: 'b' },
  ],
  // Left over from an earlier choice of "Between…".
  [{ range: 'hour', until: 'b' }, { since: '2026-05-02T11:00:00.000Z' }],
  [
    { key: 'k', model: 'm', user_id: 'u', account: 'a', member: 'ann@example.com', without: 'model' },
    { key: 'k', model: 'm', user_id: 'u', account: 'a', member: 'ann@example.com', without: 'model' },
  ],
])('the filters %j become the query %j', (filters, query) => {
  expect(JSON.parse(JSON.stringify(requestQuery(filters, now)))).toEqual(query);
});
