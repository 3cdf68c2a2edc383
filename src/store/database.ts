import type { ColumnType, Generated } from 'kysely';

/** The tables, in the columns both engines know: TEXT, BIGINT and INTEGER, times in milliseconds since 1970. */
export interface Database {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  resources: ResourcesTable;
  changes: ChangesTable;
  settings: SettingsTable;
  requests: RequestsTable;
  usage_hours: UsageHoursTable;
}

interface AccountsTable {
  id: string;
  name: string;
  package: string;
  status: 'active' | 'suspended';
  /** Decimal text as the configuration has it. */
  credit: string | null;
  source: Source;
  created_at: number;
}

interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  /** Hex HMAC of the secret; the secret itself is nowhere. */
  digest: string;
  display: string;
  /** JSON list of model ids or patterns. */
  models: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

interface ResourcesTable {
  kind: 'upstream' | 'model' | 'package' | 'site';
  name: string;
  source: Source;
  /** JSON, as the configuration file would say it. */
  spec: string;
  position: number;
  updated_at: number;
}

interface ChangesTable {
  id: Generated<number>;
  topic: string;
  subject: string;
  at: number;
}

interface SettingsTable {
  name: string;
  value: string;
}

export interface RequestsTable {
  id: string;
  started_at: number;
  account_id: string;
  key_id: string;
  user_id: string | null;
  site: string;
  surface: string;
  asked_model: string;
  model: string | null;
  upstream: string | null;
  upstream_model: string | null;
  status: number;
  error_case: string | null;
  finish: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  usage_source: 'upstream' | 'counted' | null;
  attempts: number;
  wait_ms: number | null;
  first_byte_ms: number | null;
  duration_ms: number;
  /** 1 when the client left before the end. */
  client_gone: number;
  /** JSON list of strings: what was odd, what was repaired. */
  notes: string | null;
  cost: NanoColumn;
  price_version: string | null;
}

/** What was used within an hour: the sums over the requests that started in it, kept for longer than they are. */
export interface UsageHoursTable {
  /** The start of the hour. */
  hour: number;
  account_id: string;
  key_id: string;
  /** Empty for requests that asked for no model we know. */
  model: string;
  site: string;
  requests: number;
  errors: number;
  client_gone: number;
  /** Requests that got a first byte: what `first_byte_ms` is to be divided by. */
  answered: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: ColumnType<never, bigint, bigint>;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
}

/** Whole nano-units. More than a number can hold exactly, so a query asks for it as text: `cast(cost as text)`. */
type NanoColumn = ColumnType<never, bigint | null, bigint | null>;

/** Who a row belongs to: the configuration file rewrites its own rows and leaves the others alone. */
export type Source = 'file' | 'store';
