import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { priceBatchEndpoint } from '../../manage/admin/catalog/price-batches.ts';
import { type ChangePlan, type ModelPlan, planImport } from '../../money/catalog/price-list/plan-import.ts';
import { listCurrency, type PriceList, readPriceList } from '../../money/catalog/price-list/price-list.ts';
import type { Store } from '../../platform/store/store.ts';
import { withAdmin } from '../admin-call.ts';
import { isRecord } from '../../platform/config/file/sections.ts';
import { withStore } from '../context.ts';
import { answer, CliError, table } from '../terminal/output.ts';
import { type ImportedFile, importDocument, importText, sourceText } from './import-report.ts';
import { fileLines } from './price-lines.ts';
import { cell, listed, readResources } from './resource-commands.ts';

interface ImportOptions {
  readonly apply?: true;
  readonly model?: readonly string[];
  readonly accept?: readonly string[];
  readonly provider?: string;
}

/** The public lists have a few megabytes. */
const bytesMax = 64 * 1024 * 1024;

export function registerPrices(program: Command): void {
  const noun = program.command('prices').description('Manage the prices of models.');
  noun
    .command('list')
    .description('List the prices of models, with the source and the day of each price.')
    .action(listPrices);
  noun
    .command('import')
    .argument('<file>', 'price list in the form of models.dev or LiteLLM')
    .addOption(new Option('--dry-run', 'show the changes and write nothing (default)').conflicts('apply'))
    .option('--apply', 'write the changes, all or none')
    .option('--model <ids>', 'compare only these models', listed)
    .option('--accept <ids>', 'also write the held-back changes of these models', listed)
    .option('--provider <name>', 'use only the entries of this provider of the list')
    .description(
      'Compare the prices of models with a price list, and show the changes. Changes that look like errors are held back.',
    )
    .action(importPrices);
}

async function listPrices(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const models = await readResources(store).list('model');
    const rows = models.map(({ name, spec: { price } }) => {
      if (!isRecord(price)) return [name, price, price];
      const { input, output, tiers, source } = price;
      return [name, input, output, Array.isArray(tiers) ? tiers.length : '', source ?? ''];
    });
    answer(command, {
      json: models.map(({ name, spec }) => ({ model: name, price: spec.price })),
      text: () =>
        table(
          ['model', 'input', 'output', 'tiers', 'source'],
          rows.map((row) => row.map(cell)),
          100,
        ),
    });
  });
}

async function importPrices(path: string, options: ImportOptions, command: Command): Promise<void> {
  const { file, list } = readList(path, options.provider);
  await withAdmin(command, async (call, store, target) => {
    const currency = target.currency();
    if (currency !== listCurrency) throw new CliError('price_list_currency', { listed: listCurrency, currency });
    const accepted = await namesOf(store, options.accept ?? []);
    const plans = await plansFor(store, list, options.model);
    const written = plans.filter((plan): plan is WrittenPlan => isWritten(plan, accepted));
    const isApplied = options.apply === true && written.length > 0;
    if (isApplied) {
      const prices = written.map((plan) => ({
        model: plan.model.name,
        version: plan.model.version,
        price: { ...plan.price, source: sourceText(plan.entry, file) },
      }));
      await call([priceBatchEndpoint], 'changePrices', { body: { prices } });
    }
    const report = {
      file,
      form: list.form,
      plans,
      accepted,
      written: new Set(written.map(({ model }) => model.name)),
      isApplied,
      lines: fileLines(target.file),
    };
    answer(command, { json: importDocument(report), text: () => importText(report) });
  });
}

type WrittenPlan = ModelPlan & ChangePlan;

function isWritten({ model, status }: ModelPlan, accepted: ReadonlySet<string>): boolean {
  if (model.source === 'file') return false;
  return status === 'changed' || (status === 'held' && accepted.has(model.name));
}

async function plansFor(
  store: Store,
  list: PriceList,
  wanted: readonly string[] | undefined,
): Promise<readonly ModelPlan[]> {
  const resources = readResources(store);
  const names = wanted && (await namesOf(store, wanted));
  const models = (await resources.list('model')).filter(({ name }) => !names || names.has(name));
  return planImport(list, models, await resources.list('upstream'));
}

/** The ids of models that are named by id or alias. Throws for other names. */
async function namesOf(store: Store, given: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await Promise.all(given.map((name) => readResources(store).show('model', name)));
  return new Set(rows.map(({ name }) => name));
}

function readList(path: string, provider: string | undefined): { file: ImportedFile; list: PriceList } {
  const { text, changedAt } = textOf(path);
  const file = { name: basename(path), day: new Date(changedAt).toISOString().slice(0, 10) };
  const list = readPriceList(text);
  if (!list) throw new CliError('price_list_invalid', { file: path });
  if (provider === undefined) return { file, list };
  const entries = list.entries.filter((entry) => entry.provider === provider);
  if (entries.length > 0) return { file, list: { ...list, entries } };
  const providers = [...new Set(list.entries.map((entry) => entry.provider))].sort().join(', ');
  throw new CliError('price_list_provider_unknown', { file: path, provider, providers }, { exitCode: 2 });
}

function textOf(path: string): { readonly text: string; readonly changedAt: number } {
  try {
    const { size, mtimeMs } = statSync(path);
    if (size > bytesMax) throw new CliError('price_list_too_large', { file: path, bytes: size, max: bytesMax });
    return { text: readFileSync(path, 'utf8'), changedAt: mtimeMs };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError('price_list_unreadable', { problem }, { cause: error });
  }
}
