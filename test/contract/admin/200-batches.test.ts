import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectEnvelope } from '../../expectations.ts';
import { endBatch, newBatch } from '../../gateways/admin-batches.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

let batchId: string;
beforeEach(async () => {
  batchId = await newBatch(gateway, gateway.ann);
});

async function addLines(states: readonly string[]): Promise<void> {
  const rows = states.map((state, index) => ({
    batch_id: batchId,
    line: index + 1,
    custom_id: `c${index}`,
    chunk: 0,
    first_byte: 0,
    bytes: 1,
    state: state as 'queued',
    failures: 0,
    not_before: 0,
    cost: state === 'succeeded' ? 1_500_000_000n : null,
  }));
  await gateway.store.db.insertInto('batch_lines').values(rows).execute();
}

test('a batch shows the counts of its lines and the cost so far', async () => {
  await addLines(['queued', 'queued', 'running', 'succeeded', 'succeeded', 'failed', 'interrupted', 'expired']);
  const batch = await gateway.owner('GET', `/admin/v1/batches/msgbatch_${batchId}`);
  expect(batch).toMatchObject({
    id: `batch_${batchId}`,
    account_name: 'ann',
    key_name: 'laptop',
    endpoint: '/v1/messages',
    format: 'anthropic',
    state: 'validating',
    counts: { total: 9, running: 1, succeeded: 2, failed: 2, cancelled: 0, expired: 1 },
    cost: '3.00',
    deadline_at: new Date(Date.parse(batch.created_at) + 86_400_000).toISOString(),
    ended_at: null,
    problems: [],
    output: null,
  });
  const own = await gateway.send('GET', `/account/v1/batches/batch_${batchId}`, { token: gateway.ann.token });
  expect(own.json).toMatchObject({ cost: '3.00', readable: true });
});

test('lists are filtered by account, key and state', async () => {
  const other = await newBatch(gateway, gateway.bob);
  const idsAt = async (path: string, token = gateway.tokens['read-only']) =>
    (await gateway.send('GET', path, { token })).json.data.map(({ id }: { id: string }) => id);
  expect(await idsAt('/admin/v1/batches?limit=2')).toEqual([`batch_${other}`, `batch_${batchId}`]);
  expect(await idsAt('/admin/v1/batches?account=bob')).toEqual([`batch_${other}`]);
  expect(await idsAt(`/admin/v1/batches?key=${gateway.bob.keyId}`)).toEqual([`batch_${other}`]);
  expect(await idsAt('/admin/v1/batches?state=completed&account=bob')).toEqual([]);
  expect(await idsAt('/account/v1/batches', gateway.bob.token)).toEqual([`batch_${other}`]);
});

test('an operator cancels a batch once, and the account sees it in its audit log', async () => {
  await addLines(['queued', 'succeeded']);
  const begun = gateway.store.db.updateTable('batches').set({ state: 'in_progress' }).where('id', '=', batchId);
  await begun.execute();
  const path = `/admin/v1/batches/batch_${batchId}/cancel`;
  expect((await gateway.send('POST', path, { token: gateway.tokens['read-only'] })).status).toBe(403);
  const { json } = await gateway.send('POST', path, { token: gateway.tokens.operator });
  expect(json).toMatchObject({ state: 'cancelling', counts: { succeeded: 1, cancelled: 1 } });
  await gateway.send('POST', path, { token: gateway.tokens.operator });
  const { data } = (await gateway.send('GET', '/account/v1/audit?action=cancelBatch', { token: gateway.ann.token }))
    .json;
  const ofBatch = data.filter((line: { subject_id: string }) => line.subject_id === batchId);
  expect(ofBatch).toMatchObject([{ before: { state: 'in_progress' }, after: { state: 'cancelling' } }]);
});

test('a batch that has ended cannot be cancelled', async () => {
  await endBatch(gateway, gateway.ann, batchId, ['{}\n']);
  const path = `/account/v1/batches/batch_${batchId}/cancel`;
  const { status, json } = await gateway.send('POST', path, { token: gateway.ann.token });
  expect([status, json.error.message]).toEqual([409, expect.stringContaining('can no longer be cancelled')]);
});

test('an owner downloads the output with an audit line, and no other caller reads it', async () => {
  const text = `${JSON.stringify({ custom_id: 'a', response: { body: '回答 ✓'.repeat(30_000) } })}\n`.repeat(2);
  await endBatch(gateway, gateway.ann, batchId, [text]);
  const path = `/account/v1/batches/batch_${batchId}/output/read`;
  const { status, text: sent, headers } = await gateway.send('POST', path, { token: gateway.ann.token });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-jsonl; charset=utf-8']);
  expect(sent === text).toBe(true);
  const lines = async () => {
    const { json } = await gateway.send('GET', '/account/v1/audit', { token: gateway.ann.token });
    return json.data.filter((line: { action: string }) => line.action === 'readOwnBatchOutput');
  };
  expect(await lines()).toMatchObject([{ subject_id: batchId, after: { bytes: Buffer.byteLength(text) } }]);
  expectEnvelope(await gateway.send('POST', path, { token: gateway.bob.token }), {
    status: 404,
    code: 'not_found',
    type: 'gateway_error',
  });
  expect((await gateway.send('POST', path, { token: gateway.tokens.owner })).status).toBe(403);
  const errors = path.replace('/output/', '/errors/');
  const missing = await gateway.send('POST', errors, { token: gateway.ann.token });
  expect([missing.status, missing.json.error.message]).toEqual([404, expect.stringContaining('has no such file')]);
  expect(await lines()).toHaveLength(1);
});
