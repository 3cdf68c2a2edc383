import { type Command, Option } from 'commander';
import { colors } from '../colors.ts';
import { type batchDocument, type codeDocument, codeEndpoints } from '../../manage/admin/money/codes.ts';
import { codesPerBatchMax } from '../../money/codes/code-batches.ts';
import { systemClock } from '../../core/time/clock.ts';
import { allPages, withAdmin } from '../admin-call.ts';
import { expiryOf, numeric } from '../terminal/option-values.ts';
import { answer, type Cell, table, wantsJson } from '../terminal/output.ts';
import { relativeText } from '../terminal/time-text.ts';

type BatchDocument = ReturnType<typeof batchDocument>;

interface NewBatch {
  readonly count: string;
  readonly amount: string;
  readonly note: string;
  readonly as: 'topup' | 'grant';
  readonly site?: string;
  readonly package?: string;
  readonly expires?: string;
}

export function registerCodes(program: Command): void {
  const noun = program.command('codes').description('Manage batches of redemption codes.');
  noun
    .command('create')
    .requiredOption('--count <number>', `number of codes, at most ${codesPerBatchMax}`)
    .requiredOption('--amount <decimal>', 'value of each code, such as 5.00')
    .requiredOption('--note <text>', 'note to recognise the batch by; customers never see it')
    .addOption(
      new Option('--as <kind>', 'topup (sold elsewhere) or grant (free credit)')
        .choices(['topup', 'grant'])
        .default('topup'),
    )
    .option('--site <name>', 'site on which the codes can be redeemed; default: all sites')
    .option('--package <name>', 'package whose accounts may redeem the codes; default: all packages')
    .option('--expires <duration>', 'time until the codes expire, such as 90d; default: never')
    .description('Create codes and print them once, one per line.')
    .action(create);
  noun.command('list').description('List batches, newest first, with the number of redeemed codes.').action(list);
  noun
    .command('show')
    .argument('<batch>', 'batch id')
    .description('Show the state of each code in a batch.')
    .action(show);
  noun
    .command('withdraw')
    .argument('<batch>', 'batch id')
    .description('Withdraw the codes of a batch that are not redeemed yet.')
    .action(withdraw);
}

async function create(options: NewBatch, command: Command): Promise<void> {
  const { count, amount, note, site, package: packageName } = options;
  const kind = options.as === 'grant' ? 'grant' : 'top_up';
  const expires_at = options.expires === undefined ? undefined : expiryOf(options.expires);
  const body = { count: numeric(count), amount, note, kind, site, package: packageName, expires_at };
  await withAdmin(command, async (call) => {
    const request = { body, withSecret: true };
    const made = await call<BatchDocument & { codes: string[] }>(codeEndpoints, 'createCodeBatch', request);
    const hint = `${made.codes.length} codes of ${made.amount} in ${made.id}. They are printed only once: save them now.`;
    // Only the codes go to stdout, so that it can be redirected to a file.
    if (!wantsJson(command)) console.error(colors.dim(hint));
    answer(command, { json: made, text: () => made.codes.join('\n') });
  });
}

const listedMax = 1000;

async function list(_options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const batches = await allPages<BatchDocument>(call, codeEndpoints, 'listCodeBatches', { max: listedMax });
    const now = systemClock.now();
    const rows = batches.map((batch): Cell[] => [
      batch.note,
      batch.amount,
      `${batch.redeemed} of ${batch.count}`,
      String(batch.withdrawn),
      batch.expires_at === null ? 'never' : relativeText(Date.parse(batch.expires_at), now),
      [batch.site, batch.package].filter(Boolean).join(', '),
      relativeText(Date.parse(batch.created_at), now),
      batch.id,
    ]);
    answer(command, {
      json: batches,
      text: () =>
        batches.length === 0
          ? 'No codes yet. Create some: chat-gateway codes create --count 10 --amount 5 --note NAME'
          : table(['note', 'amount', 'redeemed', 'withdrawn', 'expires', 'only for', 'created', 'id'], rows),
    });
  });
}

async function show(id: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const batch = await call<BatchDocument>(codeEndpoints, 'getCodeBatch', { id });
    const request = { id, max: codesPerBatchMax };
    const codes = await allPages<ReturnType<typeof codeDocument>>(call, codeEndpoints, 'listCodes', request);
    const rows = codes.map((code): Cell[] => [
      code.display,
      code.state,
      code.account_name ?? '',
      code.redeemed_by ?? '',
      code.redeemed_at ?? '',
      code.id,
    ]);
    answer(command, {
      json: { ...batch, codes },
      text: () => table(['code', 'state', 'account', 'by', 'redeemed', 'id'], rows),
    });
  });
}

async function withdraw(id: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const before = await call<BatchDocument>(codeEndpoints, 'getCodeBatch', { id });
    const after = await call<BatchDocument>(codeEndpoints, 'withdrawCodeBatch', { id });
    const withdrawn = after.withdrawn - before.withdrawn;
    answer(command, {
      json: after,
      text: () => `Withdrew ${withdrawn} codes. ${before.redeemed} of ${before.count} had been redeemed.`,
    });
  });
}
