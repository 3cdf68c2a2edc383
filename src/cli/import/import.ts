import { userInfo } from 'node:os';
import { Argument, type Command } from 'commander';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { durationWithin } from '../../platform/config/schema/values/duration.ts';
import { systemClock } from '../../core/time/clock.ts';
import { applyPlan, tryPlan } from '../../manage/import/apply-plan.ts';
import type { ApplyParts } from '../../manage/import/context.ts';
import { thisGateway } from '../../manage/import/this-gateway.ts';
import type { Importer } from 'chat-gateway-import/importer.ts';
import { type ImportPlan, type Product, products } from 'chat-gateway-import/plan.ts';
import { importers } from 'chat-gateway-import/products.ts';
import type { Secret } from 'chat-gateway-import/secret.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import { withStore } from '../context.ts';
import { answer, CliError, failureOf, wantsJson } from '../terminal/output.ts';
import type { NamedGateway } from '../place.ts';
import { repeat } from './follow.ts';
import { importDocument, type ImportRound, importText, laterRound, roundText } from './report.ts';
import { saltKeyOf, type SaltKeyOptions, sourceName, withSources } from './source.ts';

interface ImportOptions extends SaltKeyOptions {
  readonly plan?: boolean;
  readonly apply?: boolean;
  readonly follow?: boolean;
  readonly every: string;
  readonly rehearse?: boolean;
  readonly sourceName?: string;
}

export function registerImport(program: Command): void {
  program
    .command('import')
    .addArgument(new Argument('<product>', 'the product that the source belongs to').choices(products))
    .argument(
      '<source...>',
      'postgres://USER@HOST:PORT/NAME, an SQLite file, a dump of MySQL, MariaDB or PostgreSQL (.sql), a configuration file or saved reply (.yaml, .json), or the http address of one; a database and files can be combined',
    )
    .option('--plan', 'show what would be created, and every finding; change nothing; this is the default')
    .option('--apply', 'create it, in one transaction; a second time only changes of the source are taken')
    .option('--follow', 'apply, and repeat until the command is stopped')
    .option('--every <duration>', 'time between two rounds of --follow', '30s')
    .option(
      '--rehearse',
      'import into a temporary store, send a request with every key to simulated providers, and show which would fail',
    )
    .option(
      '--salt-key-env <name>',
      'environment variable with the key that decrypts provider credentials of the source',
    )
    .option('--salt-key-stdin', 'read that key from standard input')
    .option('--source-name <name>', 'name of the source, if its address changes between two imports')
    .description(
      'Import accounts, keys, budgets, users, models and providers from another gateway. The source is only read.',
    )
    .action(run);
}

interface ImportJob {
  readonly product: Product;
  readonly sources: readonly string[];
  readonly options: ImportOptions;
  readonly saltKey: Secret | undefined;
  readonly importer: Importer;
}

async function run(
  product: Product,
  sources: readonly string[],
  options: ImportOptions,
  command: Command,
): Promise<void> {
  const [saltKey, importer] = [await saltKeyOf(options), await importers[product]()];
  const job: ImportJob = { product, sources, options, saltKey, importer };
  if (options.rehearse) {
    const { rehearse } = await import('./rehearse.ts');
    return rehearse(command, await planOf(job));
  }
  await withStore(command, async (store, target) => {
    requireCurrency(target);
    const pepper = await openPepper(store, target.secrets());
    const parts = { store, clock: systemClock, pepper, vault: secretVault(pepper), kinds: knownKinds };
    const round = (work: typeof applyPlan) => importOnce(job, parts, work);
    if (options.follow) return follow(command, options, () => round(applyPlan));
    const isApplied = options.apply === true;
    const done = await round(isApplied ? applyPlan : tryPlan);
    answer(command, {
      json: importDocument(done, isApplied),
      text: () => importText(done, isApplied),
    });
  });
}

type StoreParts = Omit<ApplyParts, 'source' | 'operator'>;

function importOnce(job: ImportJob, parts: StoreParts, work: typeof applyPlan): Promise<ImportRound> {
  return withSources(job.sources, async (input) => {
    const plan = await job.importer({ ...input, saltKey: job.saltKey, now: parts.clock.now(), target: thisGateway });
    const source = sourceName(job.product, input, job.options.sourceName);
    const result = await work(plan, { ...parts, source, operator: `cli:${userInfo().username}` });
    return { source, plan, result };
  });
}

function planOf({ sources, importer, saltKey }: ImportJob): Promise<ImportPlan> {
  return withSources(sources, (input) => importer({ ...input, saltKey, now: systemClock.now(), target: thisGateway }));
}

const everyMs = durationWithin('1s', '1d');

/** Prints the first round like `--apply`. Of later ones, it prints what the source changed, and new findings. */
async function follow(command: Command, { every }: ImportOptions, round: () => Promise<ImportRound>): Promise<void> {
  const parsed = everyMs.safeParse(every);
  if (!parsed.success) {
    const problem = parsed.error.issues[0]?.message ?? 'is not valid';
    throw new CliError('invalid_duration', { value: every, problem }, { exitCode: 2 });
  }
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
  let before: ImportRound | undefined;
  await repeat({
    clock: systemClock,
    everyMs: parsed.data,
    stopped: stopped.signal,
    round,
    done: (done) => {
      if (before) printRound(command, laterRound(done, before));
      else answer(command, { json: importDocument(done, true), text: () => importText(done, true) });
      before = done;
    },
    failed: (error) => console.error(failureOf(error).message),
  });
}

function printRound(command: Command, done: ImportRound): void {
  const text = roundText(done, systemClock.now());
  if (text !== undefined) console.log(wantsJson(command) ? JSON.stringify(importDocument(done, true)) : text);
}

/** The products that are imported from count in US dollars. */
function requireCurrency(target: NamedGateway): void {
  const currency = target.currency();
  if (currency !== 'USD') throw new CliError('import_currency', { currency });
}
