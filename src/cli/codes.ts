import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import colors from 'picocolors';
import { openPepper } from '../accounts/pepper.ts';
import { batchDocument, codeDocument } from '../admin/code-documents.ts';
import { named } from '../admin/names.ts';
import {
  type CodeBatch,
  codesOf,
  codesPerBatchMax,
  findBatch,
  listBatches,
  makeBatch,
  withdrawRest,
} from '../codes/code-batches.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText, nanoFrom } from '../core/money.ts';
import { closest } from '../config/closest.ts';
import { amount } from '../config/decimal.ts';
import type { Store } from '../store/store.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { durationOf } from './duration-option.ts';
import { countOf } from './option-values.ts';
import { answer, type Cell, CliError, table } from './output.ts';
import { relativeText } from './time-text.ts';

interface NewBatch {
  readonly count: string;
  readonly amount: string;
  readonly note: string;
  readonly as: 'topup' | 'grant';
  readonly site?: string;
  readonly package?: string;
  readonly expires?: string;
}

/** Redemption codes: each adds money to the account that redeems it. */
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
  noun
    .command('list')
    .description('List batches, newest first, with the number of redeemed codes.')
    .action((_options, command: Command) => withStore(command, (store) => list(command, store)));
  noun
    .command('show')
    .argument('<batch>', 'batch id')
    .description('Show the state of each code in a batch.')
    .action((id: string, _options, command: Command) => withStore(command, (store) => show(command, store, id)));
  noun
    .command('withdraw')
    .argument('<batch>', 'batch id')
    .description('Withdraw the codes of a batch that are not redeemed yet.')
    .action((id: string, _options, command: Command) => withStore(command, (store) => withdraw(command, store, id)));
}

async function create(options: NewBatch, command: Command): Promise<void> {
  const count = countOf('--count', options.count, codesPerBatchMax);
  const worth = amount.safeParse(options.amount);
  if (!worth.success || nanoFrom(worth.data) === 0n) {
    throw new CliError('invalid_code_amount', { amount: options.amount }, { exitCode: 2 });
  }
  const expiresAt = options.expires === undefined ? undefined : systemClock.now() + durationOf(options.expires);
  const { note, site, package: packageName } = options;
  const kind = options.as === 'grant' ? 'grant' : 'top_up';
  const terms = { count, amount: nanoFrom(worth.data), note, kind, site, packageName, expiresAt } as const;
  await withStore(command, async (store, target) => {
    await requireNamed(store, 'site', site);
    await requireNamed(store, 'package', packageName);
    const pepper = await openPepper(store, target.secrets());
    const made = await audited(store, 'createCodeBatch', async (inside) => {
      const by = `cli:${userInfo().username}`;
      const result = await makeBatch({ store: inside, clock: systemClock, pepper }, { ...terms, by });
      const { batch } = result;
      return { result, change: { kind: 'code batch', id: batch.id, after: batchDocument(batch) } };
    });
    const hint = `${made.codes.length} codes of ${decimalText(terms.amount)} in ${made.batch.id}. They are printed only once: save them now.`;
    // Only the codes go to stdout, so that it can be redirected to a file.
    if (command.optsWithGlobals<{ json?: boolean }>().json !== true) console.error(colors.dim(hint));
    answer(command, {
      json: { ...batchDocument(made.batch), codes: made.codes },
      text: () => made.codes.join('\n'),
    });
  });
}

/** Throws if the catalog has no such site or package: the codes could never be redeemed. */
async function requireNamed({ db }: Store, kind: 'site' | 'package', wanted: string | undefined): Promise<void> {
  if (wanted === undefined) return;
  const rows = await db.selectFrom('resources').select('name').where('kind', '=', kind).execute();
  const known = rows.map(({ name }) => name);
  if (known.length === 0 || known.includes(wanted)) return;
  throw new CliError(`${kind}_not_found`, { name: wanted }, { closest: closest(wanted, known) });
}

const listedMax = 1000;

async function list(command: Command, store: Store): Promise<void> {
  const batches = await listBatches(store, { limit: listedMax });
  const now = systemClock.now();
  const rows = batches.map((batch): Cell[] => [
    batch.note,
    decimalText(batch.amount),
    `${batch.redeemed} of ${batch.count}`,
    String(batch.withdrawn),
    batch.expiresAt === undefined ? 'never' : relativeText(batch.expiresAt, now),
    [batch.site, batch.packageName].filter(Boolean).join(', '),
    relativeText(batch.createdAt, now),
    batch.id,
  ]);
  answer(command, {
    json: batches.map(batchDocument),
    text: () =>
      batches.length === 0
        ? 'No codes yet. Create some: chat-gateway codes create --count 10 --amount 5 --note NAME'
        : table(['note', 'amount', 'redeemed', 'withdrawn', 'expires', 'only for', 'created', 'id'], rows),
  });
}

async function show(command: Command, store: Store, id: string): Promise<void> {
  const batch = await batchOf(store, id);
  const codes = await codesOf(store, id, { limit: codesPerBatchMax });
  const documents = (
    await named(
      store,
      codes.map((code) => ({ ...code, key_id: null })),
    )
  ).map(codeDocument);
  answer(command, {
    json: { ...batchDocument(batch), codes: documents },
    text: () =>
      table(
        ['code', 'state', 'account', 'by', 'redeemed', 'id'],
        documents.map((code): Cell[] => [
          code.display,
          code.state,
          code.account_name ?? '',
          code.redeemed_by ?? '',
          code.redeemed_at ?? '',
          code.id,
        ]),
      ),
  });
}

async function withdraw(command: Command, store: Store, id: string): Promise<void> {
  const before = await batchOf(store, id);
  const withdrawn = await audited(store, 'withdrawCodeBatch', async (inside) => {
    const result = await withdrawRest(inside, systemClock, id);
    const after = batchDocument(await batchOf(inside, id));
    const change = { kind: 'code batch', id, before: batchDocument(before), after };
    return { result, change: result > 0 ? change : undefined };
  });
  answer(command, {
    json: batchDocument(await batchOf(store, id)),
    text: () => `Withdrew ${withdrawn} codes. ${before.redeemed} of ${before.count} had been redeemed.`,
  });
}

async function batchOf(store: Store, id: string): Promise<CodeBatch> {
  const batch = await findBatch(store, id);
  if (!batch) throw new CliError('code_batch_not_found', { batch: id });
  return batch;
}
