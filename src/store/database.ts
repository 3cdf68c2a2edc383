import type { ColumnType, Generated } from 'kysely';
import type { PromiseName } from '../core/guarantee.ts';

/** The tables, in the columns both engines know: TEXT, BIGINT and INTEGER, times in milliseconds since 1970. */
export interface Database {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  resources: ResourcesTable;
  changes: ChangesTable;
  settings: SettingsTable;
  requests: RequestsTable;
  price_versions: PriceVersionsTable;
  usage_hours: UsageHoursTable;
  usage_totals: UsageTotalsTable;
  usage_notes: UsageNotesTable;
  usage_slices: UsageSlicesTable;
  usage_slice_days: UsageSliceDaysTable;
  model_calls: ModelCallsTable;
  model_promises: ModelPromisesTable;
  spend_hours: SpendHoursTable;
  key_spend: KeySpendTable;
  error_hours: ErrorHoursTable;
  cache_savings: CacheSavingsTable;
  balances: BalancesTable;
  processes: ProcessesTable;
  leases: LeasesTable;
  key_leases: KeyLeasesTable;
  open_charges: OpenChargesTable;
  transfers: TransfersTable;
  entries: EntriesTable;
  admin_tokens: AdminTokensTable;
  admin_writes: AdminWritesTable;
  audit: AuditTable;
  /** Whose business a line of the audit log was when it was written. */
  audit_accounts: { account_id: string; line: number };
  guess_counts: { name: string; until: number; version: number };
  console_users: ConsoleUsersTable;
  console_sessions: ConsoleSessionsTable;
  console_credentials: ConsoleCredentialsTable;
  console_two_factors: ConsoleTwoFactorsTable;
  console_passkeys: { id: string; user_id: string; credential_id: string };
  console_operators: ConsoleOperatorsTable;
  console_members: ConsoleMembersTable;
  console_links: ConsoleLinksTable;
  place_members: PlaceMembersTable;
  place_news: PlaceNewsTable;
  reply_claims: ReplyClaimsTable;
  reply_pieces: ReplyPiecesTable;
  kept_responses: KeptResponsesTable;
  kept_items: { account_id: string; item_id: string; response_id: string };
  statements: StatementsTable;
  payments: PaymentsTable;
  code_batches: CodeBatchesTable;
  redemption_codes: RedemptionCodesTable;
  kept_sums: { account_id: string; responses: number; bytes: number };
  notices: NoticesTable;
  standings: { subject: string; state: string; since: number };
  receivers: ReceiversTable;
  deliveries: DeliveriesTable;
}

/** What happened that somebody may want to be told of. */
interface NoticesTable {
  id: string;
  kind: string;
  /** Null: a matter of operators alone. */
  account_id: string | null;
  at: number;
  /** JSON, without secrets. */
  data: string;
  /** When a delivery was made for everybody who wants it; null: not yet. */
  shared_at: number | null;
}

/** Who is told. Times by the database's clock, but for `created_at`. */
interface ReceiversTable {
  id: string;
  channel: 'webhook' | 'mail';
  /** Null: the operators'. */
  account_id: string | null;
  name: string;
  url: string;
  /** JSON list of kinds; null: all that concern it. */
  kinds: string | null;
  /** Sealed by the vault; null where the configuration file has it. */
  secret: string | null;
  /** Signs beside the new one until then. */
  old_secret: string | null;
  old_secret_until: number | null;
  /** `failed`: switched off by the gateway, since nothing arrived for too long. */
  status: 'on' | 'paused' | 'failed';
  source: Source;
  created_at: number;
  /** Since when every attempt has failed. */
  failing_since: number | null;
  failures: Generated<number>;
  /** It is left alone until then. */
  rest_until: Generated<number>;
  /** Which sender has it now, and until when it is believed to. */
  claim: string | null;
  claimed_until: Generated<number>;
  /** When it last had its turn. */
  turn_at: Generated<number>;
}

/** One notice, or one letter, on its way to one receiver. */
export interface DeliveriesTable {
  id: string;
  notice_id: string | null;
  receiver_id: string;
  account_id: string | null;
  /** Whom a letter is for; empty for a webhook. */
  target: Generated<string>;
  state: 'waiting' | 'delivered' | 'given-up';
  attempts: number;
  /** By the database's clock, as `first_at`. */
  next_at: number;
  /** When it was first due; being sent again by hand begins anew. */
  first_at: number;
  /** What a letter says, sealed by the vault until it is sent. */
  payload: string | null;
  /** JSON list of attempts. */
  trail: string;
  created_at: number;
}

interface KeptResponsesTable {
  id: string;
  account_id: string;
  model: string;
  /** The response it goes on from. */
  previous_id: string | null;
  created_at: number;
  /** Size of what is sealed. */
  bytes: number;
  /** Input and response as JSON, sealed by the vault for this account and id. */
  sealed: string;
}

interface AccountsTable {
  id: string;
  name: string;
  /** What people call it, if not by its name. */
  display_name: Generated<string | null>;
  package: string;
  status: 'active' | 'suspended';
  /** Decimal text as the configuration has it. */
  credit: string | null;
  /** By whose clocks its days begin; null: UTC. */
  time_zone: string | null;
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
  /** Whole nano-units as text: neither engine's integers come back as exact numbers. */
  spend_cap: string | null;
  /** `day`, `week` or `month`, where the cap renews. */
  cap_period: string | null;
  /** How many of its requests are worked on at once, at most. */
  max_concurrency: number | null;
  /** JSON list of the addresses and ranges it may be used from. */
  addresses: string | null;
  /** The first of the keys that replaced each other, where it is another. */
  first_id: string | null;
  /** The key that this one replaced. */
  rolled_from: string | null;
  /** 1 where `stream: false` gets one JSON body, whatever the site says. */
  honour_stream_false: number | null;
  /** 1 where a page made it for itself. */
  passing: number | null;
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
  /** Nano-units; null for a request that was not charged. */
  cost: ColumnType<string | null, bigint | null, bigint | null>;
  price_version: string | null;
  /** How many waited before it when it came; null when it did not have to wait, or nobody said. */
  queue_position: number | null;
  cache_write_5m_tokens: number | null;
  cache_write_1h_tokens: number | null;
  /** JSON list: what happened at each upstream. */
  trail: string | null;
  /** The request whose answer it was given again. */
  replay_of: string | null;
  /** What a refused request was told, beside what its case says. */
  error_detail: string | null;
  /** 1 when one JSON body was asked for; null where the request could not be read. */
  asked_whole: number | null;
  /** 1 when it got a stream all the same. */
  unwanted_stream: number | null;
  /** JSON object: how often the provider ran each of its own tools. */
  tool_uses: string | null;
  /** What the provider charges us for it, in nano-units; null where no route says what it costs. */
  provider_cost: OldMoney;
  /** 1 for a request whose writer has noted what it adds to the usage, or which was added since. */
  sliced: Generated<number | null>;
}

/** Figures that were ever charged by, in pico-units as text: a version names them for good. */
interface PriceVersionsTable {
  version: string;
  input: string;
  cached_input: string;
  cache_write_5m: string;
  cache_write_1h: string;
  output: string;
  /** JSON object: what one use of each tool costs; null where none is priced. */
  tool_uses: string | null;
}

/** Money is read as text, since a number cannot hold it exactly, and written as a bigint. */
type Money = ColumnType<string, bigint, bigint>;
/** Money that rows of an older version do not have. */
type OldMoney = ColumnType<string | null, bigint | null | undefined, bigint | null>;

interface BalancesTable {
  account_id: string;
  /** Given away by the operator; spent first. */
  granted: Money;
  topped_up: Money;
  /** Set aside by running processes: neither spent nor available. */
  leased: Money;
  /** Available money never goes below this. */
  floor: Money;
  /** The balance at which its owners want to be told; null: never. */
  low_at: OldMoney;
  /** Nothing is booked before this time any more: months up to here are closed. Null: none is. */
  closed_until: ColumnType<number | null, number | null | undefined, number | null>;
}

interface ProcessesTable {
  id: string;
  started_at: number;
  /** By the database's clock. */
  alive_until: number;
}

interface LeasesTable {
  process_id: string;
  account_id: string;
  amount: Money;
}

interface KeyLeasesTable {
  process_id: string;
  /** Which key, cap and span it is of, as `budgetName` writes it. */
  budget: string;
  /** The first of the keys that share what may be spent. */
  first_id: string;
  /** How often the cap renews, and by whose clocks. */
  period: string;
  since: number;
  amount: Money;
}

interface OpenChargesTable {
  request_id: string;
  process_id: string;
  account_id: string;
  key_id: string;
  cost: Money;
  price_version: string;
  /** What is set aside for it; null where an older version noted it. */
  held: OldMoney;
  /** When its money was set aside; null where an older version noted it. */
  at: number | null;
}

interface TransfersTable {
  reference: string;
  kind: string;
  account_id: string;
  key_id: string | null;
  /** As the customer sees it: what was spent is negative. */
  amount: Money;
  by: string;
  reason: string;
  price_version: string | null;
  at: number;
  /** What was held for a charge; null for other movements, and for charges of older versions. */
  held: OldMoney;
  /** 1 for a charge whose booker has added it up; otherwise the database does. */
  counted: Generated<number | null>;
}

interface EntriesTable {
  reference: string;
  kind: string;
  account: string;
  amount: Money;
}

interface AdminTokensTable {
  id: string;
  name: string;
  role: 'owner' | 'operator' | 'read-only' | 'account';
  /** The one account a token of the role `account` is for. */
  account_id: string | null;
  /** Hex HMAC of the secret; the secret itself is nowhere. */
  digest: string;
  display: string;
  created_at: number;
  revoked_at: number | null;
  /** Up to a minute late. */
  last_used_at: Generated<number | null>;
}

/** Writes that came with an `Idempotency-Key`, for as long as they may be asked for again. */
interface AdminWritesTable {
  token_id: string;
  key_digest: string;
  request_digest: string;
  /** Sealed: it may hold a new secret. Null only inside the transaction that does the write. */
  reply: string | null;
  at: number;
}

/** Append-only: the database itself refuses to change or delete a row. */
interface AuditTable {
  id: Generated<number>;
  at: number;
  actor: string;
  role: string;
  action: string;
  subject_kind: string;
  subject_id: string;
  /** JSON, without secrets. */
  before: string | null;
  after: string | null;
  request_id: string | null;
  /** Where it came from; nothing of commands, and of lines from before this was kept. */
  address: Generated<string | null>;
  /** What the client called itself. */
  device: Generated<string | null>;
}

/** As the library that signs people in keeps it: a date in PostgreSQL, ISO text in the embedded store. */
type LibraryTime = ColumnType<Date | string, Date | string, Date | string>;
/** Likewise a boolean, or 0 and 1. */
type LibraryTruth = ColumnType<boolean | number, boolean | number, boolean | number>;

/** People who sign in to the dashboard. */
interface ConsoleUsersTable {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: LibraryTruth;
  two_factor_enabled: LibraryTruth | null;
  created_at: LibraryTime;
  updated_at: LibraryTime;
}

interface ConsoleSessionsTable {
  id: string;
  user_id: string;
  /** Worth nothing alone: the cookie carries a signature by a key that is not in the store. */
  token: string;
  expires_at: LibraryTime;
  created_at: LibraryTime;
  updated_at: LibraryTime;
  ip_address: string | null;
  user_agent: string | null;
}

interface ConsoleCredentialsTable {
  id: string;
  user_id: string;
  account_id: string;
  provider_id: string;
  /** An argon2id hash. */
  password: string | null;
  created_at: LibraryTime;
  updated_at: LibraryTime;
}

interface ConsoleTwoFactorsTable {
  id: string;
  user_id: string;
  /** Encrypted by the library. */
  secret: string;
  /** The time step of the last code that was used; null: none was. */
  last_step: number | null;
}

interface ConsoleOperatorsTable {
  user_id: string;
  role: 'owner' | 'operator' | 'read-only';
  created_at: number;
}

interface ConsoleMembersTable {
  account_id: string;
  user_id: string;
  role: 'owner' | 'member' | 'viewer';
  created_at: number;
}

/** Links that let someone in once. */
interface ConsoleLinksTable {
  id: string;
  purpose: 'setup' | 'account' | 'operator' | 'reset-password' | 'reset-second-factor' | 'reset-both';
  /** Hex HMAC of the secret in the link; the secret itself is nowhere. */
  digest: string;
  email: string | null;
  role: string;
  account_id: string | null;
  made_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
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
  /** Requests that asked for one JSON body and got a stream. */
  unwanted_streams: number;
}

/** The same over all accounts, keys and sites. */
export type UsageTotalsTable = Omit<UsageHoursTable, 'account_id' | 'key_id' | 'site'>;

/** How well a model calls tools, ever since it was first counted. */
/** What requests add up to that were stored together, until it is added to the slices. */
interface UsageNotesTable {
  /** Of the first of these requests. */
  id: string;
  /** JSON, as `usage-group` writes it. */
  body: string;
}

/** Usage within an hour along one dimension: the sums of one of its values. */
interface UsageSlicesTable extends SliceSumsColumns {
  hour: number;
}

/** The same for each day of UTC. */
interface UsageSliceDaysTable extends SliceSumsColumns {
  day: number;
}

interface SliceSumsColumns {
  /** Empty for all accounts together. */
  account_id: string;
  dimension: string;
  /** `=` and the value, `-` where requests do not say it, `+` for those that an hour does not tell apart. */
  value: string;
  requests: number;
  errors: number;
  client_gone: number;
  answered: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: Money;
  provider_cost: Money;
  /** What was charged for those requests whose provider's cost is known. */
  costed: Money;
  wait_ms: number;
  first_byte_ms: number;
  duration_ms: number;
}

export interface ModelCallsTable {
  model: string;
  seen: number;
  parsed: number;
  repaired: number;
  failed: number;
}

/** What became of a promise in the answers of a model on one day. */
interface ModelPromisesTable {
  model: string;
  promise: PromiseName;
  day: number;
  kept: number;
  mended: number;
  asked_again: number;
  missed: number;
}

/** What was charged within an hour. The database keeps it in step with the ledger; nobody else writes it. */
interface SpendHoursTable {
  /** The start of the hour in which it was charged. */
  hour: number;
  account_id: string;
  key_id: string;
  amount: Money;
}

/** What each key was charged in all its life. */
interface KeySpendTable {
  key_id: string;
  spent: Money;
}

/** How many of the requests that started within an hour failed, by what went wrong. */
export interface ErrorHoursTable {
  hour: number;
  account_id: string;
  error_case: string;
  requests: number;
}

/** What prompt caches spared an account in one hour. */
interface CacheSavingsTable {
  hour: number;
  account_id: string;
  amount: bigint;
}

/** A process that shares upstreams with others. */
interface PlaceMembersTable {
  process: string;
  heard_ms: number;
  /** All else that is known of it, as JSON. */
  member: string;
}

interface PlaceNewsTable {
  subject: string;
  process: string;
  value: string;
  version: number;
  until_ms: number;
}

/** A reply that its client has named, by the process that makes it. */
interface ReplyClaimsTable {
  /** A digest of the API key, site, endpoint and name: nobody else finds it. */
  place: string;
  /** The request that it is the reply to. */
  claim: string;
  process: string;
  /** Of the request's body. */
  digest: string;
  /** `over`: it failed, and whoever asks again may make another. */
  state: 'running' | 'whole' | 'over';
  /** JSON: how it ended, or that it cannot be told. */
  ending: string | null;
  claimed_at: number;
  /** Somebody reads it in another process until then, by the database's clock. */
  wanted_until: number | null;
  kept_until: number | null;
}

/** What was said of a reply, from one character on; pieces may overlap. */
interface ReplyPiecesTable {
  claim: string;
  start: number;
  length: number;
  sealed: string;
}

/** Who a row belongs to: the configuration file rewrites its own rows and leaves the others alone. */
export type Source = 'file' | 'store';

/** Money that somebody means to pay in through a provider. */
interface PaymentsTable {
  id: string;
  account_id: string;
  amount: Money;
  currency: string;
  state: 'open' | 'paid' | 'ended';
  provider: string;
  /** What the provider calls it once it is paid. */
  intent: string | null;
  /** How much of it went back in all. */
  refunded: Money;
  by: string;
  created_at: number;
  paid_at: number | null;
}

/** A month of an account that is over: it never changes. */
interface StatementsTable {
  account_id: string;
  /** In UTC, as `2026-03`. */
  month: string;
  starts_at: number;
  ends_at: number;
  opening: Money;
  closing: Money;
  /** JSON: what moved the money, added up by kind and by model. */
  sums: string;
}

/** Codes that were made together, and what each of them is worth. */
interface CodeBatchesTable {
  id: string;
  note: string;
  amount: Money;
  kind: 'top_up' | 'grant';
  /** Where they can be redeemed; null: anywhere. */
  site: string | null;
  /** Whose accounts may redeem them; null: any. */
  package: string | null;
  expires_at: number | null;
  count: number;
  made_by: string;
  created_at: number;
}

/** A code is redeemed or withdrawn, once, or neither yet. */
interface RedemptionCodesTable {
  id: string;
  batch_id: string;
  /** Hex HMAC of the code; the code itself is nowhere. */
  digest: string;
  display: string;
  withdrawn_at: number | null;
  redeemed_at: number | null;
  account_id: string | null;
  redeemed_by: string | null;
}
