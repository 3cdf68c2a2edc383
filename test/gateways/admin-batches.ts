import type { AdminGateway, Member } from './admin-gateway.ts';

/** Creates a message batch of nine lines, which no process runs. */
export async function newBatch({ batches, clock }: AdminGateway, { account, keyId }: Member): Promise<string> {
  const origin = { accountId: account.id, keyId, host: 'localhost', address: '127.0.0.1', headers: {} };
  const terms = { endpoint: '/v1/messages', inputFileId: 'file-1', metadata: undefined, outputSeconds: undefined };
  // Ids sort by time.
  clock.at += 1;
  const { batch } = await batches.create({ kind: 'batch', format: 'anthropic', ...origin, ...terms, lines: 9 });
  return batch.id;
}

/** Ends a batch of an account with this output file and, if a text is given, this error file. */
export async function endBatch(gateway: AdminGateway, of: Member, batchId: string, texts: [string, string?]) {
  const { store, clock } = gateway;
  const [output_file_id, error_file_id = null] = await Promise.all(
    texts.map((text) => newFile(gateway, of, text ?? '')),
  );
  const ended = { state: 'completed', ended_at: clock.at, output_file_id, error_file_id } as const;
  await store.db.updateTable('batches').set(ended).where('id', '=', batchId).execute();
}

async function newFile({ files }: AdminGateway, { account, keyId }: Member, text: string): Promise<string> {
  const of = { accountId: account.id, keyId, filename: 'out.jsonl', keepMs: null };
  const writer = await files.create({ ...of, purpose: 'batch_output' });
  await writer.add(Buffer.from(text));
  return (await writer.end()).id;
}
