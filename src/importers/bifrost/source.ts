import type { ListEntry } from '../../catalog/price-list/list-entry.ts';
import { liteLlmEntry } from '../../catalog/price-list/litellm-table.ts';
import { NumberText } from '../../catalog/price-list/number-text.ts';
import { readPriceList } from '../../catalog/price-list/price-list.ts';
import { type ImportInput, ImportError } from '../importer.ts';
import type { Row, TableReader } from '../table-reader.ts';
import { documentValues, listOf, recordOf, textOf, type Values, valuesOf } from '../values.ts';
import { jsonWithNumberTexts } from '../../catalog/price-list/number-text.ts';

/** A table of Bifrost or a list of its configuration file. Values are text, `NumberText`, booleans, lists and objects. */
export interface BifrostSource {
  /** Whether empty lists allow nothing. In earlier versions they allow all. */
  readonly deniesByDefault: boolean;
  readonly providers: readonly Values[];
  /** Provider keys, with `provider`. */
  readonly providerKeys: readonly Values[];
  /** Models that Bifrost found at its providers, with `provider`. */
  readonly models: readonly Values[];
  readonly virtualKeys: readonly Values[];
  /** With `virtual_key_id` and `keys`, the ids of provider keys. */
  readonly providerConfigs: readonly Values[];
  readonly teams: readonly Values[];
  readonly customers: readonly Values[];
  readonly budgets: readonly Values[];
  readonly rateLimits: readonly Values[];
  readonly prices: readonly ListEntry[];
  readonly lost: readonly { readonly table: string; readonly rows: number; readonly what: string }[];
  /** Names of configuration files that were given besides the source that is read. */
  readonly unread: readonly string[];
}

const lostTables: Readonly<Record<string, string>> = {
  governance_routing_rules: 'routing rules',
  governance_model_configs: 'budgets and rate limits of models',
  governance_pricing_overrides: 'overridden prices',
  config_mcp_clients: 'MCP clients',
  config_plugins: 'plugins',
  governance_users: 'users of the enterprise version',
};

export async function readBifrost({ tables, documents }: ImportInput): Promise<BifrostSource> {
  const lists = documents.map(({ text }) => readPriceList(text));
  const prices = lists.flatMap((list) => list?.entries ?? []);
  const files = documents.filter((_each, index) => lists[index] === undefined);
  if (tables) return { ...(await fromTables(tables, prices)), unread: files.map(({ name }) => name) };
  const [file, ...others] = files;
  if (!file) throw new ImportError('No database and no config.json was given.', 'Name one of them.');
  return { ...fromFile(documentValues(file), prices), unread: others.map(({ name }) => name) };
}

type SourceContent = Omit<BifrostSource, 'unread'>;

async function fromTables(tables: TableReader, given: readonly ListEntry[]): Promise<SourceContent> {
  const present = new Set(await tables.tables());
  if (!present.has('governance_virtual_keys') || !present.has('config_providers')) {
    throw new ImportError(
      `${tables.label} has no tables of Bifrost.`,
      'Name its configuration store: config.db, or the database of `config_store`. It must have been started once.',
    );
  }
  const rowsOf = async (table: string): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    if (present.has(table)) for await (const row of tables.rows(table)) rows.push(row);
    return rows;
  };
  const keyColumns = await tables.columns('governance_virtual_keys');
  const providers = await rowsOf('config_providers');
  const names = new Map(providers.map((row) => [row['id'], row['name'] ?? '']));
  const joins = await rowsOf('governance_virtual_key_provider_config_keys');
  const providerConfigs = (await rowsOf('governance_virtual_key_provider_configs')).map((row) => ({
    ...plainRow(row),
    allowed_models: jsonWithNumberTexts(row['allowed_models'] ?? 'null'),
    keys: joins
      .filter((join) => join['table_virtual_key_provider_config_id'] === row['id'])
      .map((join) => join['table_key_id']),
  }));
  const ofProvider = (row: Row) => ({
    ...plainRow(row),
    provider: row['provider'] ?? names.get(row['provider_id']) ?? '',
  });
  const lost = [];
  for (const [table, what] of Object.entries(lostTables)) {
    const { length: rows } = await rowsOf(table);
    if (rows > 0) lost.push({ table, rows, what });
  }
  const own = (await rowsOf('governance_model_pricing')).flatMap(pricesOf);
  return {
    deniesByDefault: keyColumns.includes('calendar_aligned'),
    providers: providers.map(providerOf),
    providerKeys: (await rowsOf('config_keys')).map((row) => ({ ...ofProvider(row), ...keyFields(row) })),
    models: (await rowsOf('config_models')).map(ofProvider),
    virtualKeys: (await rowsOf('governance_virtual_keys')).map(plainRow),
    providerConfigs,
    teams: (await rowsOf('governance_teams')).map(plainRow),
    customers: (await rowsOf('governance_customers')).map(plainRow),
    budgets: (await rowsOf('governance_budgets')).map(plainRow),
    rateLimits: (await rowsOf('governance_rate_limits')).map(plainRow),
    prices: [...given, ...own],
    lost,
  };
}

function plainRow(row: Row): Values {
  return Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null && cell !== undefined));
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
    models: jsonWithNumberTexts(row['models_json'] ?? 'null'),
    blacklisted_models: jsonWithNumberTexts(row['blacklisted_models_json'] ?? 'null'),
    aliases: valuesOf(row['aliases_json']),
  };
}

/** Prices that Bifrost synchronised, of one token as LiteLLM has them. */
function pricesOf(row: Row): readonly ListEntry[] {
  const mode = row['mode'] ?? 'chat';
  if (!['chat', 'completion', 'responses', 'embedding'].includes(mode)) return [];
  const costs = Object.entries(row).filter(([name, cell]) => name.includes('_cost') && typeof cell === 'string');
  const numbers = costs.map(([name, cell]) => [name, new NumberText(cell ?? '')]);
  const values = { ...Object.fromEntries(numbers), litellm_provider: row['provider'] ?? '', mode };
  return [liteLlmEntry(row['model'] ?? '', values)];
}

/** Nested keys, provider configurations and budgets become lists that name their owner, as the tables have them. */
function fromFile(file: Values, prices: readonly ListEntry[]): SourceContent {
  const governance = recordOf(file['governance']);
  const providers = Object.entries(recordOf(file['providers']));
  const virtualKeys = listOf(governance['virtual_keys']).map(recordOf);
  const section = (name: string) => listOf(governance[name]).map(recordOf);
  const owned = (rows: readonly Values[], column: string) =>
    rows.flatMap((row) =>
      listOf(row['budgets']).map((budget) => ({ ...recordOf(budget), [column]: textOf(row['id']) })),
    );
  return {
    deniesByDefault: true,
    providers: providers.map(([name, value]) => ({ ...recordOf(value), name })),
    providerKeys: providers.flatMap(([provider, value]) =>
      listOf(recordOf(value)['keys']).map((key) => ({ ...flatKey(recordOf(key)), provider })),
    ),
    models: [],
    virtualKeys,
    providerConfigs: virtualKeys.flatMap((key) =>
      listOf(key['provider_configs']).map((config) => ({ ...recordOf(config), virtual_key_id: textOf(key['id']) })),
    ),
    teams: section('teams'),
    customers: section('customers'),
    budgets: [
      ...section('budgets'),
      ...owned(virtualKeys, 'virtual_key_id'),
      ...owned(section('teams'), 'team_id'),
      ...owned(section('customers'), 'customer_id'),
    ],
    rateLimits: section('rate_limits'),
    prices,
    lost: [],
  };
}

const nested = ['azure', 'vertex', 'bedrock', 'vllm', 'ollama', 'sgl'] as const;

/** `azure_key_config.endpoint` becomes `azure_endpoint`, as the column is named. */
function flatKey(key: Values): Values {
  const flat = nested.flatMap((name) =>
    Object.entries(recordOf(key[`${name}_key_config`])).map(([field, value]) => [`${name}_${field}`, value] as const),
  );
  return { ...key, ...Object.fromEntries(flat) };
}
