import * as fc from 'fast-check';
import { type CompiledQuery, sql } from 'kysely';
import { expect, test } from 'vitest';
import { testStores } from '../../../test/stores/stores.ts';
import { listRequests } from './find-requests.ts';
import { anyFilter, fill } from '../../../test/fixtures/requests/many-records.ts';

const { open } = testStores('postgres');

// By default, PostgreSQL reads a small table with a full scan.
test('any page of any filter can be read from an index, without a full scan', async () => {
  let last: CompiledQuery | undefined;
  const store = await open({
    log: ({ query }) => {
      if (query.sql.startsWith('select')) last = query;
    },
  });
  await fill(store);
  await fc.assert(
    fc.asyncProperty(anyFilter, async (criteria) => {
      await listRequests(store, { ...criteria, after: { startedAt: 30, id: 'r200' }, limit: 50 });
      const query = last as CompiledQuery;
      const plan = await store.transaction(async (tx) => {
        await sql`set local enable_seqscan = off`.execute(tx);
        const { rows } = await tx.executeQuery<{ 'QUERY PLAN': string }>({ ...query, sql: `explain ${query.sql}` });
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      // The planner sees that the conditions on the key contradict each other.
      if (plan.includes('One-Time Filter: false')) return;
      expect(plan).toMatch(/(Index Scan|Bitmap Index Scan).* requests_by_\w+/);
      expect(plan).not.toContain('Seq Scan');
    }),
    { numRuns: 40 },
  );
});
