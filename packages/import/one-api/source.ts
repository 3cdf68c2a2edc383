import { isObject } from 'chat-formats/wire-value.ts';
import { ImportError, type ImportInput, type SourceDocument } from '../importer.ts';
import { type LostRows, lostRows } from '../lost-rows.ts';
import { type Row, rowsIn, type TableReader } from '../table-reader.ts';
import type { TargetGateway } from '../target.ts';
import { listOf, recordOf, textOf, type Values } from '../values.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';
import { Ratio } from './ratio.ts';

export type OneApiProduct = 'new-api' | 'one-api';

/** A reply of the running instance, with a number as the class `NumberText`. */
type Pricing = readonly Values[];

export interface OneApiSource {
  readonly product: OneApiProduct;
  /** Without the rows that the product only marked as deleted. All are in the order of their ids. */
  readonly users: readonly Row[];
  readonly tokens: readonly Row[];
  readonly channels: readonly Row[];
  readonly redemptions: readonly Row[];
  readonly subscriptions: readonly Row[];
  readonly plans: readonly Row[];
  /** Rows that the product only marked as deleted, by table. */
  readonly deleted: Readonly<Record<string, number>>;
  /** Settings of the database. Those of a running instance complete them: the database has only what was changed. */
  readonly options: ReadonlyMap<string, string>;
  /** The `data` of `GET /api/pricing`; `undefined` if it was not given. */
  readonly pricing: Pricing | undefined;
  /** Rows of tables that are not taken, and their content. */
  readonly lost: readonly LostRows[];
  /** Nano-units of one unit of quota. */
  readonly nanoPerQuota: Ratio;
  readonly now: number;
  readonly target: TargetGateway;
}

/** Small tables that are not taken. Logs are never counted: they may have a hundred million rows. */
const lostTables: Readonly<Record<string, string>> = {
  passkey_credentials: 'passkeys',
  two_fas: 'second factors',
  subscription_plans: 'subscription plans',
  prefill_groups: 'groups of the forms',
  custom_oauth_providers: 'sign-in providers',
};

const defaultQuotaPerUnit = '500000';
const nanoPerUnit = new Ratio(1_000_000_000n);

export async function readOneApi(product: OneApiProduct, input: ImportInput): Promise<OneApiSource> {
  const { tables: reader, documents, now, target } = input;
  if (!reader) {
    throw new ImportError(
      `No database of ${product} was given.`,
      'Give its SQLite file, its postgres:// address, or a dump of its MySQL database.',
    );
  }
  await rejectOther(product, reader);
  const replies = documents.map(replyOf);
  const options = await optionsOf(reader, replies);
  const users = await rowsOf(reader, 'users');
  const tokens = await rowsOf(reader, 'tokens');
  const redemptions = await rowsOf(reader, 'redemptions');
  const subscriptions = await rowsOf(reader, 'user_subscriptions');
  const plans = await rowsOf(reader, 'subscription_plans');
  const isDeletedUser = (row: Row): boolean => isDeleted(row) || (product === 'one-api' && row['status'] === '3');
  return {
    product,
    users: users.filter((row) => !isDeletedUser(row)),
    tokens: tokens.filter((row) => !isDeleted(row)),
    channels: await rowsOf(reader, 'channels'),
    redemptions: redemptions.filter((row) => !isDeleted(row)),
    subscriptions,
    plans,
    deleted: {
      users: users.filter(isDeletedUser).length,
      tokens: tokens.filter(isDeleted).length,
      redemptions: redemptions.filter(isDeleted).length,
    },
    options,
    pricing: replies.find((reply) => reply.some((entry) => 'model_name' in entry)),
    lost: await lostRows(reader, lostTables),
    nanoPerQuota: nanoPerQuota(options.get('QuotaPerUnit') ?? defaultQuotaPerUnit),
    now,
    target,
  };
}

/** The columns of `tokens` tell the products apart. */
async function rejectOther(product: OneApiProduct, reader: TableReader): Promise<void> {
  const columns = new Set(await reader.columns('tokens'));
  if (!columns.has('remain_quota') || !(await reader.columns('users')).includes('quota')) {
    throw new ImportError(
      `${reader.label} is no database of ${product}: it has no tables \`users\` and \`tokens\` with quotas.`,
      'Give the database that the variable SQL_DSN of the product names, or its file `one-api.db`.',
    );
  }
  const isNewApi = columns.has('model_limits_enabled') || (await reader.columns('abilities')).includes('tag');
  const found: OneApiProduct = isNewApi ? 'new-api' : 'one-api';
  if (found === product) return;
  throw new ImportError(
    `${reader.label} is a database of ${found}, not of ${product}: their channel types differ.`,
    `Use \`chat-gateway import ${found}\`.`,
  );
}

async function rowsOf(reader: TableReader, table: string): Promise<readonly Row[]> {
  return (await rowsIn(reader, table)).toSorted((one, other) => idOf(one) - idOf(other));
}

function idOf(row: Row): number {
  return Number(row['id'] ?? 0);
}

function isDeleted(row: Row): boolean {
  return (row['deleted_at'] ?? null) !== null;
}

/** The list in `data` of a reply of the product. */
function replyOf({ name, text }: SourceDocument): readonly Values[] {
  const list = listOf(recordOf(jsonWithNumberTexts(text))['data']).map(recordOf);
  if (list.some((entry) => 'model_name' in entry || 'key' in entry)) return list;
  throw new ImportError(
    `${name} has no prices.`,
    'Save the reply of `GET /api/pricing` of the running new-api, or of `GET /api/option/` of the running one-api.',
  );
}

async function optionsOf(
  reader: TableReader,
  replies: readonly (readonly Values[])[],
): Promise<ReadonlyMap<string, string>> {
  const options = new Map<string, string>();
  for await (const { key, value } of reader.rows('options')) options.set(key ?? '', value ?? '');
  // A running instance has read the database and adds what is compiled in.
  for (const entry of replies.flat()) {
    const [key, value] = [textOf(entry['key']), textOf(entry['value'])];
    if (key !== undefined && value !== undefined) options.set(key, value);
  }
  return options;
}

function nanoPerQuota(quotaPerUnit: string): Ratio {
  const units = Ratio.of(quotaPerUnit);
  if (units && !units.isZero) return nanoPerUnit.over(units);
  throw new ImportError(
    `The option QuotaPerUnit is "${quotaPerUnit}", so the value of quota is not known.`,
    'Correct it in the source.',
  );
}

/** An option that holds an object. */
export function objectOption({ options }: Pick<OneApiSource, 'options'>, name: string): Values {
  const text = options.get(name);
  return text === undefined ? {} : recordOf(jsonWithNumberTexts(text));
}

/** Whether a text that shall be empty or hold an object does. */
export function isObjectText(text: string | null | undefined): boolean {
  return (text ?? '').trim() === '' || isObject(jsonWithNumberTexts(text ?? ''));
}

/** The texts of a list separated by commas, without empty and repeated ones. */
export function listed(cell: string | null | undefined): readonly string[] {
  const parts = (cell ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

export function isOn(row: Row): boolean {
  return row['status'] === '1';
}

/** A whole number of a column; 0 if it is empty or no whole number. */
export function wholeOf(cell: string | null | undefined): bigint {
  return wholeForm.test(cell ?? '') ? BigInt(cell ?? '0') : 0n;
}

const wholeForm = /^[-+]?\d+$/;

/** Whether the column is empty or a whole number. */
export function isWhole(cell: string | null | undefined): boolean {
  return (cell ?? '') === '' || wholeForm.test(cell ?? '');
}
