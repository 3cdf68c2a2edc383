import type { Command } from 'commander';
import type { z } from 'zod';
import type { batchDetailFields, batchFields } from '../manage/admin/batches/batch-documents.ts';
import { batchEndpoints } from '../manage/admin/batches/batches.ts';
import type { nameFields } from '../manage/admin/names.ts';
import { batchStates } from '../core/batch-states.ts';
import { systemClock } from '../core/time/clock.ts';
import { accountOf } from './accounts/account-of.ts';
import { allPages, withAdmin } from './admin-call.ts';
import { countOf } from './terminal/option-values.ts';
import { answer, details, table } from './terminal/output.ts';
import { relativeText } from './terminal/time-text.ts';

type Batch = z.output<z.ZodObject<typeof batchFields & typeof nameFields>>;
type BatchDetail = z.output<z.ZodObject<typeof batchDetailFields & typeof nameFields>>;

export function registerBatches(program: Command): void {
  const noun = program.command('batches').description('Manage batches, which run on idle slots.');
  noun
    .command('list')
    .description('List batches, newest first.')
    .option('--account <account>', 'account, by name or id; default: all accounts')
    .option('--state <state>', `only batches in this state: ${batchStates.join(', ')}`)
    .option('--limit <number>', 'number of batches', '50')
    .action(list);
  noun
    .command('show')
    .description('Show a batch: its counts, its cost so far, its files, and the problems of its input file.')
    .argument('<batch>', 'batch_… or msgbatch_…')
    .action(show);
  noun
    .command('cancel')
    .description('Cancel a batch. Its running requests end; the others do not run.')
    .argument('<batch>', 'batch_… or msgbatch_…')
    .action(cancel);
}

interface ListOptions {
  readonly account?: string;
  readonly state?: string;
  readonly limit: string;
}

async function list({ account, state, limit }: ListOptions, command: Command): Promise<void> {
  const max = countOf('--limit', limit, 10_000);
  await withAdmin(command, async (call, store) => {
    const query = {
      ...(account !== undefined && { account: (await accountOf(store, account)).id }),
      ...(state !== undefined && { state }),
    };
    const batches = await allPages<Batch>(call, batchEndpoints, 'listBatches', { query, max });
    answer(command, {
      json: batches,
      text: () => (batches.length === 0 ? 'No matching batches.' : batchTable(batches)),
    });
  });
}

function batchTable(batches: readonly Batch[]): string {
  const now = systemClock.now();
  const rows = batches.map((batch) => [
    batch.id,
    batch.account_name ?? batch.account_id,
    batch.endpoint,
    batch.state,
    progressText(batch),
    batch.cost,
    relativeText(Date.parse(batch.created_at), now),
    batch.ended_at === null ? relativeText(Date.parse(batch.deadline_at), now) : '',
  ]);
  return table(['id', 'account', 'endpoint', 'state', 'done', 'cost', 'created', 'deadline'], rows);
}

function progressText({ counts: { total, succeeded, failed, cancelled, expired } }: Batch): string {
  return `${succeeded + failed + cancelled + expired}/${total}`;
}

async function show(id: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const batch = await call<BatchDetail>(batchEndpoints, 'getBatch', { id });
    answer(command, { json: batch, text: () => detailText(batch) });
  });
}

async function cancel(id: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const batch = await call<BatchDetail>(batchEndpoints, 'cancelBatch', { id });
    answer(command, { json: batch, text: () => `Cancelled ${batch.id}. Requests that run now still end.` });
  });
}

const outcomes = ['running', 'succeeded', 'failed', 'cancelled', 'expired'] as const;

function detailText(batch: BatchDetail): string {
  const { counts } = batch;
  const facts = details([
    ['batch', batch.id],
    ['state', batch.state],
    ['account', batch.account_name ?? batch.account_id],
    ['key', batch.key_name ?? batch.key_id],
    ['endpoint', `${batch.endpoint} (${batch.format} format)`],
    ['requests', String(counts.total)],
    ...outcomes.map((name) => [name, String(counts[name])] as const),
    ['cost so far', batch.cost],
    ['tokens', `${batch.input_tokens} in, ${batch.output_tokens} out`],
    ['created', batch.created_at],
    ['deadline', batch.deadline_at],
    ['ended', batch.ended_at ?? 'not yet'],
    ['input file', batch.input_file_id],
    ['output file', batch.output_file_id ?? 'none'],
    ['error file', batch.error_file_id ?? 'none'],
  ]);
  const problems = batch.problems.map(({ line, code, message }) => [line === null ? '' : String(line), code, message]);
  return problems.length === 0 ? facts : `${facts}\n\n${table(['line', 'problem', 'message'], problems, 120)}`;
}
