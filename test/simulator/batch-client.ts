import type { Batches } from '../../src/work/batches/batches.ts';
import { caseOf, GatewayError } from 'chat-formats/gateway-error.ts';
import type { Files } from '../../src/work/files/files.ts';
import type { Store } from '../../src/platform/store/store.ts';
import type { BatchWatch } from './batch-watch.ts';
import { keyOf } from './key-book.ts';
import type { Machine } from './machine.ts';
import { promptText } from './provider.ts';
import type { BatchPlan } from './scenario.ts';
import type { World } from './world.ts';

interface BatchClientParts {
  readonly world: World;
  readonly machine: Machine;
  readonly store: Store;
  readonly files: Files;
  readonly batches: Batches;
  readonly lines: BatchWatch;
}

export const endpoint = '/v1/chat/completions';
const retryMs = 1000;

/** Uploads the lines of a batch, creates it, and cancels it if the client plans to. */
export async function submitBatch(parts: BatchClientParts, plan: BatchPlan): Promise<void> {
  const { world, machine, batches, lines } = parts;
  const { accountId, cancelAfterMs } = plan;
  const inputFileId = await upload(parts, plan);
  const id = await lines.whileCreating(
    plan.id,
    machine,
    untilAdmitted(machine, () => create(parts, plan, inputFileId)),
  );
  if (cancelAfterMs === undefined) return;
  const cancel = async (): Promise<void> => {
    const state = await batches.cancel(accountId, id);
    if (state?.batch.state === 'validating') lines.note(`the batch ${id} is validating after its cancellation`);
  };
  world.after(cancelAfterMs, () => machine.deliver(() => void cancel().catch(() => undefined)));
}

async function upload({ machine, files, lines: watch }: BatchClientParts, plan: BatchPlan): Promise<string> {
  const { accountId, lines, inputMs, uploadMs } = plan;
  const file = { accountId, keyId: keyOf(accountId), purpose: 'batch', filename: 'a.jsonl', keepMs: inputMs ?? null };
  const writer = await files.create(file);
  for (const [index, { promptTokens, maxTokens }] of lines.entries()) {
    const messages = [{ role: 'user', content: promptText(`r${index}`, promptTokens) }];
    const body = { model: 'm', max_tokens: maxTokens, messages };
    const line = { custom_id: `l${index}`, method: 'POST', url: endpoint, body };
    await writer.add(Buffer.from(`${JSON.stringify(line)}\n`));
    if (uploadMs !== undefined) await machine.wait(uploadMs / lines.length);
  }
  const { id } = await writer.end().catch((error: unknown) => {
    if (error instanceof GatewayError) watch.note(`the upload of ${plan.id} failed: ${error.message}`);
    throw error;
  });
  return id;
}

/** A client that is refused because of a quota tries again. */
async function untilAdmitted<Result>(machine: Machine, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (caseOf(error) !== 'overloaded') throw error;
    }
    await machine.wait(retryMs);
  }
}

async function create({ store, batches }: BatchClientParts, plan: BatchPlan, inputFileId: string): Promise<string> {
  const { accountId, lines, windowMs } = plan;
  const origin = { host: '', address: '', headers: {}, metadata: undefined, outputSeconds: undefined };
  const count = { keyId: keyOf(accountId), lines: lines.length };
  const batch = { kind: 'batch', accountId, endpoint, inputFileId, ...count, ...origin } as const;
  if (windowMs === undefined) return (await batches.create(batch)).batch.id;
  const created = await store.transaction(async (tx) => {
    const within = batches.within({ ...store, db: tx, transaction: (work) => work(tx) });
    const { id, created_at: from } = (await within.create(batch)).batch;
    await tx
      .updateTable('batches')
      .set({ expires_at: from + windowMs })
      .where('id', '=', id)
      .execute();
    return id;
  });
  batches.onWork();
  return created;
}
