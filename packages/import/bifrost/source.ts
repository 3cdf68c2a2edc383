import { jsonWithNumberTexts, NumberText } from 'chat-formats/json/number-text.ts';
import { type ImportInput, ImportError } from '../importer.ts';
import { type LostRows } from '../lost-rows.ts';
import { pricesIn } from '../model-prices.ts';
import { type Row, rowsIn, type TableReader } from '../table-reader.ts';
import type { PriceEntry, TargetGateway } from '../target.ts';
import { textOf, textsIn, type Values, valuesOf } from '../values.ts';
import { isSet, missingColumns, tableUse, unknownColumns } from './known-columns.ts';

/** The tables of Bifrost's configuration store. Cells of JSON are parsed, and cells without a value are left out. */
export interface BifrostSource {
  readonly providers: readonly Values[];
  /** Provider keys, with `provider`. */
  readonly providerKeys: readonly Values[];
  /** Models that Bifrost found at its providers or has a price for, with `provider`. */
  readonly models: readonly Values[];
  readonly virtualKeys: readonly Values[];
  /** With `virtual_key_id` and `keys`, the ids of provider keys. */
  readonly providerConfigs: readonly Values[];
  readonly teams: readonly Values[];
  readonly customers: readonly Values[];
  readonly budgets: readonly Values[];
  readonly modelConfigs: readonly Values[];
  readonly rateLimits: readonly Values[];
  readonly priceOverrides: readonly Values[];
  readonly prices: readonly PriceEntry[];
  readonly target: TargetGateway;
  readonly lost: readonly LostRows[];
  /** Values that this version does not know. They may limit keys. */
  readonly unknown: readonly UnknownValue[];
  /** HTTP headers without which Bifrost refuses every request. */
  readonly requiredHeaders: readonly string[];
  /** Names of configuration files, which are not read. */
  readonly unread: readonly string[];
}

export interface UnknownValue {
  readonly table: string;
  /** `undefined`: the table itself is unknown. */
  readonly column: string | undefined;
  readonly row: Values;
}

export async function readBifrost({ tables, documents, target }: ImportInput): Promise<BifrostSource> {
  if (!tables) {
    throw new ImportError(
      'No database of Bifrost was given.',
      'Name its configuration store: config.db, or the database of `config_store`. Bifrost copies config.json into it when it starts.',
    );
  }
  const { prices, files } = pricesIn(documents, target);
  return { ...(await fromTables(tables, prices, target)), unread: files.map(({ name }) => name) };
}

async function fromTables(
  tables: TableReader,
  given: readonly PriceEntry[],
  target: TargetGateway,
): Promise<Omit<BifrostSource, 'unread'>> {
  const present = await columnsOf(tables);
  const rowsOf = (table: string) => rowsIn(tables, table);
  const plain = async (table: string) => (await rowsOf(table)).map(plainRow);
  const providers = await rowsOf('config_providers');
  const names = new Map(providers.map((row) => [row['id'], row['name'] ?? '']));
  const ofProvider = (row: Row): Values => ({
    ...plainRow(row),
    provider: row['provider'] ?? names.get(row['provider_id']) ?? '',
  });
  const joins = await rowsOf('governance_virtual_key_provider_config_keys');
  const prices = await rowsOf('governance_model_pricing');
  const clients = await rowsOf('config_client');
  return {
    providers: providers.map(providerOf),
    providerKeys: (await rowsOf('config_keys')).map((row) => ({ ...ofProvider(row), ...keyFields(row) })),
    models: [...(await rowsOf('config_models')).map(ofProvider), ...prices.map(pricedModel)],
    virtualKeys: await plain('governance_virtual_keys'),
    providerConfigs: (await rowsOf('governance_virtual_key_provider_configs')).map((row) => configOf(row, joins)),
    teams: await plain('governance_teams'),
    customers: await plain('governance_customers'),
    budgets: await plain('governance_budgets'),
    modelConfigs: await plain('governance_model_configs'),
    rateLimits: await plain('governance_rate_limits'),
    priceOverrides: await plain('governance_pricing_overrides'),
    prices: [...given, ...prices.flatMap((row) => pricesOf(row, target))],
    target,
    requiredHeaders: clients.flatMap((row) => textsIn(row['required_headers_json'])),
    ...(await whatElse(present, rowsOf)),
  };
}

/** The columns of each table. Throws if this is no store of a version whose limits the importer knows. */
async function columnsOf(tables: TableReader): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = await tables.tables();
  const present = new Map<string, readonly string[]>();
  for (const table of names) present.set(table, await tables.columns(table));
  if (!present.has('governance_virtual_keys') || !present.has('config_providers')) {
    throw new ImportError(
      `${tables.label} has no tables of Bifrost.`,
      'Name its configuration store: config.db, or the database of `config_store`. It must have been started once.',
    );
  }
  const [missing] = missingColumns((table) => present.get(table) ?? []);
  if (missing !== undefined) {
    throw new ImportError(
      `${tables.label} has no column ${missing}: an earlier version of Bifrost wrote it.`,
      'Update Bifrost to 1.6.11 or later, start it once, and import again.',
    );
  }
  return present;
}

/** Tables that are not taken, and everything that this version does not know. */
async function whatElse(
  present: ReadonlyMap<string, readonly string[]>,
  rowsOf: (table: string) => Promise<readonly Row[]>,
): Promise<Pick<BifrostSource, 'lost' | 'unknown'>> {
  const lost: LostRows[] = [];
  const unknown: UnknownValue[] = [];
  for (const [table, columns] of present) {
    const use = tableUse(table);
    if (use === 'harmless') continue;
    const rows = await rowsOf(table);
    if (use === 'unknown') unknown.push(...rows.map((row) => ({ table, column: undefined, row: plainRow(row) })));
    else if (use !== 'read') lost.push({ table, rows: rows.length, what: use.lost });
    else {
      const found = unknownColumns(table, columns).flatMap((column) =>
        rows.filter((row) => isSet(row, column)).map((row) => ({ table, column, row: plainRow(row) })),
      );
      unknown.push(...found);
    }
  }
  return { lost: lost.filter(({ rows }) => rows > 0), unknown };
}

function plainRow(row: Row): Values {
  return Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null && cell !== undefined));
}

function configOf(row: Row, joins: readonly Row[]): Values {
  return {
    ...plainRow(row),
    allowed_models: jsonWithNumberTexts(row['allowed_models'] ?? 'null'),
    blacklisted_models: jsonWithNumberTexts(row['blacklisted_models'] ?? 'null'),
    keys: joins
      .filter((join) => join['table_virtual_key_provider_config_id'] === row['id'])
      .map((join) => join['table_key_id']),
  };
}

function providerOf(row: Row): Values {
  return {
    ...plainRow(row),
    network_config: valuesOf(row['network_config_json']),
    concurrency_and_buffer_size: valuesOf(row['concurrency_buffer_json']),
    custom_provider_config: valuesOf(row['custom_provider_config_json']),
  };
}

function keyFields(row: Row): Values {
  return {
    models: jsonWithNumberTexts(row['models_json'] ?? 'null') ?? [],
    blacklisted_models: jsonWithNumberTexts(row['blacklisted_models_json'] ?? 'null'),
    aliases: valuesOf(row['aliases_json']),
  };
}

const textModes: ReadonlySet<string> = new Set(['chat', 'completion', 'responses', 'embedding']);

function pricedModel(row: Row): Values {
  return textModes.has(row['mode'] ?? 'chat') ? { provider: row['provider'], name: textOf(row['model']) } : {};
}

/** Prices that Bifrost synchronised, of one token as LiteLLM has them. */
function pricesOf(row: Row, { prices }: TargetGateway): readonly PriceEntry[] {
  const mode = row['mode'] ?? 'chat';
  if (!textModes.has(mode)) return [];
  const costs = Object.entries(row).filter(([name, cell]) => name.includes('_cost') && typeof cell === 'string');
  const numbers = costs.map(([name, cell]) => [name, new NumberText(cell ?? '')]);
  const values = { ...Object.fromEntries(numbers), litellm_provider: row['provider'] ?? '', mode };
  return [prices.entryOf(row['model'] ?? '', values)];
}
