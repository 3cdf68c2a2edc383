// biome-ignore-all format: it is written by scripts/wire-types.ts from the description of the API.
// Change the schemas in src/admin and run that script.

export interface Account {
  readonly id: string;
  /** Name in files and commands. It never changes. */
  readonly name: string;
  /** Name for people, in any script. Null: `name` is shown. */
  readonly display_name: string | null;
  /** The package, which decides what the account may use. */
  readonly package: string;
  readonly status: 'active' | 'suspended';
  /** Time zone in which its days, weeks and months begin, and in which the spend caps of its keys reset. */
  readonly time_zone: string;
  /** `file`: the configuration file sets its package. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
  /** The `total` of its balance. */
  readonly balance: string;
  /** Number of keys that are not revoked. */
  readonly keys: number;
  /** Last use of any of its keys, up to a minute late. */
  readonly last_used_at: string | null;
}

export interface AccountChange {
  /** The new package, which decides what the account may use. */
  readonly package?: string;
  /** Time zone in which its days, weeks and months begin from now on. */
  readonly time_zone?: string;
  /** Name for people. Null: `name` is shown. */
  readonly display_name?: string | null;
}

export interface AccountPage {
  readonly data: readonly Account[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface AddedModels {
  readonly data: readonly Resource[];
}

export interface Alerts {
  /** Balance at which `balance.low` is sent. Null: never. */
  readonly low_balance: string | null;
  /** Addresses that get e-mails about the account. Null: all of its owners. */
  readonly recipients: readonly string[] | null;
  /** How often a summary e-mail is sent: requests, errors, spend, balance, models, alerts. */
  readonly digest: 'off' | 'daily' | 'weekly';
  /** Addresses that can be recipients: members with a verified address. */
  readonly readers: readonly string[];
  /** Whether the gateway can send e-mails. */
  readonly is_mail_on: boolean;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
}

export interface AlertsChange {
  /** A decimal in quotes. Null: never. */
  readonly low_balance?: string | null;
  /** Addresses of members. Null: all owners. */
  readonly recipients?: readonly string[] | null;
  /** How often a summary e-mail is sent: requests, errors, spend, balance, models, alerts. */
  readonly digest?: 'off' | 'daily' | 'weekly';
}

export interface Attempt {
  readonly upstream: string;
  readonly upstream_model: string;
  /** Index of the credential of the upstream, from 0. */
  readonly credential: number | null;
  /** Time in the queue before it was sent. */
  readonly wait_ms: number;
  /** Back-off before that, because the previous attempt failed. */
  readonly backoff_ms: number;
  /** Requests ahead of it when it entered the queue. */
  readonly position: number | null;
  /** Milliseconds since the request began. */
  readonly began_ms: number;
  /** Milliseconds since the request began. */
  readonly ended_ms: number;
  readonly first_event_ms: number | null;
  /** HTTP status of the provider, if it responded. */
  readonly status: number | null;
  readonly error_case: string | null;
  readonly reason: string | null;
}

export interface AuditLine {
  readonly id: number;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** The id of a token, the e-mail address of a user, or `cli`. */
  readonly actor: string;
  /** Name of the token. */
  readonly actor_name: string | null;
  readonly role: string;
  /** The operation of this API, the command, or the sign-in event of a user. */
  readonly action: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  /** Name of the subject, or the address it is for. */
  readonly subject_name: string | null;
  /** Null if it did not exist. */
  readonly before: unknown;
  /** Null if it no longer exists. */
  readonly after: unknown;
  /** IP address of the client. Null for commands. */
  readonly address: string | null;
  /** The `user-agent` header of the client. */
  readonly device: string | null;
  readonly request_id: string | null;
}

export interface AuditLinePage {
  readonly data: readonly AuditLine[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export type AuditTable = string;

export interface Balance {
  readonly currency: string;
  /** A decimal in the currency of the gateway. */
  readonly total: string;
  /** Credit that the operator granted. It is spent first. */
  readonly granted: string;
  /** A decimal in the currency of the gateway. */
  readonly topped_up: string;
  /** Held for running requests. */
  readonly reserved: string;
}

/** Base URL for clients of each surface. */
export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
}

export interface CatalogModel {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Strengths of the model. Null: not given. */
  readonly description: string | null;
  readonly owned_by: string;
  /** `openai` is chat completions, `anthropic` is messages. */
  readonly surfaces: readonly string[];
  /** Pass-through endpoints: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`. */
  readonly endpoints: readonly string[];
  /** In tokens. Null: unknown. */
  readonly context_window: number | null;
  /** In tokens. Null: unknown. */
  readonly max_output_tokens: number | null;
  readonly thinking: boolean;
  readonly price: ModelPrices;
  /** Results of its tool calls so far. Null: no tool calls yet. */
  readonly tool_calls: ToolCalls | null;
  /** Results of the constraints that the gateway enforces, in the last 30 days. Constraints that no request had are left out. */
  readonly constraints: readonly ConstraintResults[];
  /** Performance as clients saw it, over all routes, in the last 24 hours, 7 days and 30 days. */
  readonly performance: Performance;
  readonly routes: readonly {
    readonly upstream: string;
    /** Name of the model at the provider. */
    readonly model: string;
    /** The lowest number is tried first. */
    readonly priority: number;
    /** Share among routes of the same priority. */
    readonly weight: number;
    /** State of its best credential. Null: the upstream is not in use here. */
    readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled' | null;
    readonly running: number;
    readonly waiting: number;
    readonly limit: number;
    /** Performance of the upstream with this provider model, for all catalog models that use it. Measured per attempt, from when it was sent. */
    readonly performance: Performance;
  }[];
}

export interface CatalogModels {
  readonly data: readonly CatalogModel[];
}

export interface CatalogView {
  /** The site of the domain. Null if there is none. */
  readonly site: string | null;
  /** Requests get 401 unless it is `active`. */
  readonly key_state: 'active' | 'expired' | 'revoked' | 'suspended';
  /** The models that `GET /v1/models` would list. */
  readonly models: readonly {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly owned_by: string;
    readonly surfaces: readonly string[];
    /** Results of its tool calls so far. Null: no tool calls yet. */
    readonly tool_calls: ToolCalls | null;
  }[];
}

export interface Checkout {
  readonly url: string;
}

export interface CodeBatch {
  readonly id: string;
  readonly note: string;
  /** Value of each code. */
  readonly amount: string;
  /** Kind of the ledger entry. `top_up`: paid for elsewhere. `grant`: a gift, which is spent first. */
  readonly kind: 'top_up' | 'grant';
  /** The only site where the codes can be redeemed. Null: any site. */
  readonly site: string | null;
  /** The only package whose accounts may redeem the codes. Null: any package. */
  readonly package: string | null;
  readonly expires_at: string | null;
  readonly count: number;
  readonly redeemed: number;
  /** Codes that were withdrawn before they were redeemed. */
  readonly withdrawn: number;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
}

export interface CodeBatchPage {
  readonly data: readonly CodeBatch[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface ConstraintResults {
  /** `stop`, `max_tokens`, `strict`, `tool_choice` or `json`. */
  readonly constraint: string;
  /** Answers for which the gateway enforced it. */
  readonly seen: number;
  /** The model met it without help. */
  readonly met: number;
  /** The gateway repaired the answer. */
  readonly repaired: number;
  /** The answer was discarded, and the model was re-prompted. */
  readonly reprompted: number;
  /** The answer still violated it, and the client got an error. */
  readonly violated: number;
}

export interface CostLine {
  readonly kind: 'input' | 'cached_input' | 'cache_write_5m' | 'cache_write_1h' | 'output';
  readonly tokens: number;
  /** A decimal in the currency of the gateway. */
  readonly per_million: string;
  /** Tokens times price. The sum of all lines, rounded up to a billionth, is the cost. */
  readonly amount: string;
}

export interface CreatedCodeBatch {
  readonly id: string;
  readonly note: string;
  /** Value of each code. */
  readonly amount: string;
  /** Kind of the ledger entry. `top_up`: paid for elsewhere. `grant`: a gift, which is spent first. */
  readonly kind: 'top_up' | 'grant';
  /** The only site where the codes can be redeemed. Null: any site. */
  readonly site: string | null;
  /** The only package whose accounts may redeem the codes. Null: any package. */
  readonly package: string | null;
  readonly expires_at: string | null;
  readonly count: number;
  readonly redeemed: number;
  /** Codes that were withdrawn before they were redeemed. */
  readonly withdrawn: number;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** The codes, shown only in this reply. */
  readonly codes: readonly string[];
}

export interface CreatedInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** Actor that created the invitation. */
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
  /** Path of the link, on any domain of the gateway. Shown only once. */
  readonly link: string;
  /** Whether an e-mail with the link is on its way. If not, pass the link on yourself. */
  readonly mailed: boolean;
}

export interface CreatedKey {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** First and last characters of the secret. */
  readonly display: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** Allowed models. Null: all models that the account may use. */
  readonly models: readonly string[] | null;
  /** Spend cap, in total or per `cap_period`. Null: no cap of its own. */
  readonly spend_cap: string | null;
  /** How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Null: never. */
  readonly cap_period: 'day' | 'week' | 'month' | null;
  /** Requests served at once, over all gateway processes. Further requests wait. Null: no limit. */
  readonly max_concurrency: number | null;
  /** IP addresses and ranges from which it may be used. Null: anywhere. */
  readonly addresses: readonly string[] | null;
  /** Whether `stream: false` gets one JSON body on the chat surface, even if the site does not enable that. */
  readonly honour_stream_false: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time, where that is allowed. */
  readonly store_bodies: boolean;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Last use, up to a minute late. */
  readonly last_used_at: string | null;
  /** Id of the key that it replaced. */
  readonly rotated_from: string | null;
  /** Id of the first key of its rotations. They share their spend cap. */
  readonly first_id: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
  /** Total charged for its requests so far. */
  readonly spent: string;
  /** Spend that counts against the cap: in this period, including the keys that it replaced. */
  readonly cap_spent: string | null;
  /** Next reset of the cap. Null: never. */
  readonly cap_renews_at: string | null;
  /** Shown only once. */
  readonly secret: string;
}

export interface CreatedReset {
  readonly id: string;
  readonly email: string;
  /** The lost credentials. `second-factor` also removes the passkeys, and requires the current password. */
  readonly resets: 'password' | 'second-factor' | 'both';
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
  /** Path of the link, on any domain of the gateway. Shown only once. */
  readonly link: string;
  /** Whether an e-mail with the link is on its way. If not, pass the link on yourself. */
  readonly mailed: boolean;
}

export interface CreatedToken {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'operator' | 'read-only' | 'account';
  /** Set for the role `account`. */
  readonly account_id: string | null;
  readonly display: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Last use, up to a minute late. Null: no use since the gateway records it. */
  readonly last_used_at: string | null;
  /** Shown only once. */
  readonly secret: string;
}

export interface CreatedWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Events that it receives. Null: all that concern it. */
  readonly events: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** `failed`: disabled by the gateway after three days without a successful delivery. */
  readonly status: 'on' | 'paused' | 'failed';
  /** `file`: defined in the configuration file, and changed only there. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Start of the current series of failed attempts. */
  readonly failing_since: string | null;
  /** Until then, deliveries are also signed with the previous secret. */
  readonly old_secret_until: string | null;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
  /** Signs the deliveries. Shown only once. */
  readonly secret: string;
}

export interface CredentialHealth {
  /** Index in the list of credentials, from 0. */
  readonly index: number;
  /** After several failures in a row, a credential is `ejected` for a while. Then one request tries it (`half-open`), and its load returns slowly (`ramping`). A credential that the provider refuses is `disabled`. The last credential of a model is used in any state. */
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  /** When it is tried again. Null unless it is ejected. */
  readonly ejected_until: string | null;
  /** End of the current cooldown. */
  readonly cooldown_until: string | null;
  readonly running: number;
  /** Typical time to the first content. */
  readonly latency_ms: number | null;
  readonly consecutive_failures: number;
  /** In the words of the provider, without secrets. */
  readonly last_error: string | null;
  readonly last_error_at: string | null;
}

export interface Credit {
  readonly kind: 'grant' | 'top_up' | 'refund' | 'adjust';
  /** A decimal in quotes. Negative only with `adjust`. */
  readonly amount: string;
  /** Unique reference of this credit. A second credit with the same kind and reference changes nothing. */
  readonly reference: string;
  /** Reason, shown in the ledger. */
  readonly reason: string;
}

export interface Credited {
  readonly currency: string;
  /** A decimal in the currency of the gateway. */
  readonly total: string;
  /** Credit that the operator granted. It is spent first. */
  readonly granted: string;
  /** A decimal in the currency of the gateway. */
  readonly topped_up: string;
  /** Held for running requests. */
  readonly reserved: string;
  /** False if this reference was booked before. Then nothing changed. */
  readonly is_new: boolean;
}

export interface DeadLetterCharge {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly request_id: string;
  readonly account_id: string;
  /** Name of the account. Null: unknown here. */
  readonly account: string | null;
  readonly cost: string;
  /** Error of the store. */
  readonly error: string;
  /** Whether it has been booked since. */
  readonly is_booked: boolean;
}

export interface DeletedBodies {
  /** Requests whose bodies were deleted. */
  readonly deleted: number;
  /** Whether there are more. Repeat the call until it is false. */
  readonly more: boolean;
}

export interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  /** The same for every attempt. */
  readonly event_id: string;
  readonly event: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly attempt_count: number;
  /** Time of the next attempt. */
  readonly next_at: string | null;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** The last attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

export interface DeliveryAttempt {
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** HTTP status of the webhook endpoint. Null: no response. */
  readonly status: number | null;
  /** Cause of the failure. Null: delivered. */
  readonly fault: 'status' | 'timeout' | 'unreachable' | 'address-refused' | 'no-secret' | 'too-many-waiting' | 'mail-refused' | null;
  readonly duration_ms: number;
}

export interface DeliveryPage {
  readonly data: readonly Delivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface Drift {
  readonly kind: 'upstream' | 'model' | 'package' | 'site';
  readonly name: string;
  readonly difference: 'only in the store' | 'only in the file' | 'different';
}

export interface Error {
  readonly error: {
    /** For programs; prefer it, or the status, over `type`. Empty for unparseable bodies. */
    readonly code: string;
    /** For people; some begin in Chinese. Ends with the request id. */
    readonly message: string;
    readonly type: 'authentication_error' | 'gateway_error' | 'upstream_error';
    /** Present only if a provider rejected the request, and always empty. */
    readonly param?: '';
  };
}

export interface Grace {
  /** How long the old key stays valid: a duration such as 1h or 24h, or `now` to revoke it immediately. */
  readonly grace: string;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** Actor that created the invitation. */
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
}

export interface InvitationList {
  readonly data: readonly Invitation[];
}

export interface Key {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** First and last characters of the secret. */
  readonly display: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** Allowed models. Null: all models that the account may use. */
  readonly models: readonly string[] | null;
  /** Spend cap, in total or per `cap_period`. Null: no cap of its own. */
  readonly spend_cap: string | null;
  /** How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Null: never. */
  readonly cap_period: 'day' | 'week' | 'month' | null;
  /** Requests served at once, over all gateway processes. Further requests wait. Null: no limit. */
  readonly max_concurrency: number | null;
  /** IP addresses and ranges from which it may be used. Null: anywhere. */
  readonly addresses: readonly string[] | null;
  /** Whether `stream: false` gets one JSON body on the chat surface, even if the site does not enable that. */
  readonly honour_stream_false: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time, where that is allowed. */
  readonly store_bodies: boolean;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Last use, up to a minute late. */
  readonly last_used_at: string | null;
  /** Id of the key that it replaced. */
  readonly rotated_from: string | null;
  /** Id of the first key of its rotations. They share their spend cap. */
  readonly first_id: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
  /** Total charged for its requests so far. */
  readonly spent: string;
  /** Spend that counts against the cap: in this period, including the keys that it replaced. */
  readonly cap_spent: string | null;
  /** Next reset of the cap. Null: never. */
  readonly cap_renews_at: string | null;
}

export interface KeyLimits {
  /** Name by which you recognise it. */
  readonly name?: string;
  /** Null removes the limit. */
  readonly models?: readonly string[] | null;
  /** Null removes the cap and its period. */
  readonly spend_cap?: string | null;
  /** Null: the cap never resets. */
  readonly cap_period?: 'day' | 'week' | 'month' | null;
  /** Null: no limit. */
  readonly max_concurrency?: number | null;
  /** Null: anywhere. */
  readonly addresses?: readonly string[] | null;
  /** Null: never. */
  readonly expires_at?: string | null;
  /** Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream. */
  readonly honour_stream_false?: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins. */
  readonly store_bodies?: boolean;
}

export interface KeyPage {
  readonly data: readonly Key[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface KnownModel {
  /** As the provider lists it. */
  readonly model: string;
  /** The model whose price is given. */
  readonly known_as: string;
  /** Date of the price. Prices change: check them. */
  readonly as_of: string;
  readonly currency: string;
  /** Per million tokens, as in a catalog entry. */
  readonly price: Readonly<Record<string, string>>;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

export interface LedgerCheck {
  /** The rule that is checked. */
  readonly title: string;
  /** Number of rows checked. */
  readonly count: number;
  /** Violations, at most 20. Empty if the check passed. */
  readonly violations: readonly string[];
}

export interface LedgerLine {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** `charge`, `charge-rest`, `grant`, `top_up`, `refund`, `adjust` or `reversal`. */
  readonly kind: string;
  /** The request or credit that it belongs to. */
  readonly reference: string;
  /** The key whose request was charged. */
  readonly key_id: string | null;
  /** Negative for charges. */
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
}

export interface LedgerLinePage {
  readonly data: readonly LedgerLine[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface LedgerReport {
  readonly is_valid: boolean;
  readonly checks: readonly LedgerCheck[];
}

export type LedgerTable = string;

export interface Live {
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** The process that answered. The figures cover all processes that share the upstreams. */
  readonly process: {
    readonly id: string;
    /** ISO 8601, in UTC. */
    readonly started_at: string;
  };
  readonly totals: {
    /** Requests in flight. */
    readonly requests: number;
    /** Answers running at upstreams. */
    readonly running: number;
    readonly waiting: number;
    /** Retries in flight. */
    readonly retries: number;
    readonly retries_limit: number;
  };
  readonly rates: {
    /** Per second, over the last minute. */
    readonly requests: number;
    /** Per second, over the last minute. */
    readonly errors: number;
    /** Per second, over the last minute. */
    readonly prompt_tokens: number;
    /** Per second, over the last minute. */
    readonly completion_tokens: number;
  };
  readonly upstreams: readonly LiveQueue[];
  /** Accounts over all upstreams, busiest first, at most 100. */
  readonly accounts: readonly LiveAccount[];
}

export interface LiveAccount {
  readonly id: string;
  readonly name: string | null;
  readonly running: number;
  readonly waiting: number;
}

export interface LiveQueue {
  readonly name: string;
  /** State of its best credential. */
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  readonly running: number;
  readonly waiting: number;
  /** Concurrency limit: answers that may run at once. */
  readonly limit: number;
  /** End of the current cooldown. */
  readonly cooldown_until: string | null;
  /** Jain's index over the waiting accounts: 1 is even. Null if fewer than two can be compared. */
  readonly fairness: number | null;
  /** The busiest accounts, at most 100. */
  readonly accounts: readonly LiveAccount[];
  /** Share of each process. Empty if one process has all slots. */
  readonly processes: readonly ProcessShare[];
}

export interface Mail {
  /** Whether the configuration file names a mail server. */
  readonly is_on: boolean;
  readonly host: string | null;
  readonly from: string | null;
  /** The last e-mails, newest first, without their content. */
  readonly emails: readonly MailMessage[];
}

export interface MailMessage {
  readonly id: string;
  readonly to: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly attempt_count: number;
  readonly next_at: string | null;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Last status code of the mail server, if it refused. */
  readonly status: number | null;
  readonly fault: 'status' | 'timeout' | 'unreachable' | 'address-refused' | 'no-secret' | 'too-many-waiting' | 'mail-refused' | null;
}

export interface MailTest {
  /** Address of the recipient. */
  readonly to: string;
}

export interface MailTested {
  readonly mailed: boolean;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** `owner`: everything. `member`: everything except managing members. `viewer`: read-only. */
  readonly role: 'owner' | 'member' | 'viewer';
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
}

export interface MemberChange {
  /** `owner`: everything. `member`: everything except managing members. `viewer`: read-only. */
  readonly role: 'owner' | 'member' | 'viewer';
}

export interface MemberList {
  readonly data: readonly Member[];
}

export interface ModelPrices {
  /** Per million tokens. */
  readonly input: string;
  /** Per million tokens. */
  readonly cached_input: string;
  /** Per million tokens. */
  readonly cache_write_5m: string;
  /** Per million tokens. */
  readonly cache_write_1h: string;
  /** Per million tokens. */
  readonly output: string;
  /** Per thousand uses of tools that the provider runs, by tool name. Other provider tools are refused. */
  readonly provider_tools: Readonly<Record<string, string>>;
  /** Per image, second, character or request, on the `endpoints`. */
  readonly units: Readonly<Record<string, string>>;
  readonly is_free: boolean;
}

export interface NewAccount {
  readonly name: string;
  /** Name for people, in any script. */
  readonly display_name?: string;
  /** The package, which decides what the account may use. */
  readonly package?: string;
  /** Granted immediately. */
  readonly credit?: string;
  /** Time zone in which its days begin. Default: UTC. */
  readonly time_zone?: string;
}

export interface NewCodeBatch {
  /** Number of codes. */
  readonly count: number;
  /** Value of each code: a decimal in quotes, greater than 0. */
  readonly amount: string;
  /** Kind of the ledger entry. `top_up`: paid for elsewhere. `grant`: a gift, which is spent first. */
  readonly kind?: 'top_up' | 'grant';
  /** Name by which you recognise it. */
  readonly note: string;
  /** The only site where the codes can be redeemed. Default: any site. */
  readonly site?: string;
  /** The only package whose accounts may redeem the codes. Default: any package. */
  readonly package?: string;
  /** When the codes expire. Default: never. */
  readonly expires_at?: string;
}

export interface NewInvitation {
  /** Address that the link is for. */
  readonly email: string;
  /** `owner`: everything. `member`: everything except managing members. `viewer`: read-only. */
  readonly role: 'owner' | 'member' | 'viewer';
}

export interface NewKey {
  /** Id of the account that owns the key. */
  readonly account: string;
  /** Name by which you recognise it. */
  readonly name: string;
  /** Ids, aliases or patterns. Default: all models that the account may use. */
  readonly models?: readonly string[];
  /** When it expires. Default: never. */
  readonly expires_at?: string;
  /** Spend cap, in total or per `cap_period`. */
  readonly spend_cap?: string;
  /** How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Default: never. */
  readonly cap_period?: 'day' | 'week' | 'month';
  /** Requests served at once, over all gateway processes. Further requests wait. Default: no limit. */
  readonly max_concurrency?: number;
  /** IP addresses and ranges from which it may be used. Default: anywhere. */
  readonly addresses?: readonly string[];
  /** Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream. */
  readonly honour_stream_false?: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins. */
  readonly store_bodies?: boolean;
}

export interface NewModel {
  /** The identifier in the catalog and in answers; best with a date. */
  readonly id: string;
  /** Other names that clients may use; answers still contain the `id`. */
  readonly aliases?: readonly string[];
  /** What it is and what it is good at, in one or two sentences, for users who choose a model. */
  readonly description?: string;
  /** The label shown in the catalog; the upstream of the first route if left out. */
  readonly owned_by?: string;
  /** Client APIs (surfaces) that accept the model: `openai` is chat completions, `anthropic` is messages, `openai-response` is responses. A model can be offered on all of them, regardless of the format of its provider. The catalog lists the native one first and `openai` last. If left out, the model is on all of them, or on none if it has `endpoints`. */
  readonly surfaces?: readonly ('openai' | 'anthropic' | 'openai-response')[];
  /** Pass-through endpoints, which forward the body to the model unchanged and return its answer: `embeddings`, `rerank`, `moderations`, `images` (generations), `speech` and `transcriptions`. Its providers must use the chat-completions format. */
  readonly endpoints?: readonly ('embeddings' | 'rerank' | 'moderations' | 'images' | 'speech' | 'transcriptions')[];
  /** Tokens the model can hold. Prompts that certainly do not fit are refused at once. Not checked if left out. */
  readonly context_window?: number;
  /** Maximum number of generated tokens; a request for more is lowered to it. Unlimited if left out. */
  readonly max_output_tokens?: number;
  /** Whether the model can think. Only then are the defaults for thinking and its effort sent to the provider. */
  readonly thinking?: boolean;
  /** Whether the prompt opens the reasoning, so that the text of a thinking model begins inside it. If left out, and the family in `tool_format` does so, the first words are held back until an end of the reasoning arrives. If none arrives, they are the answer. */
  readonly thinks_first?: boolean;
  /** Which tool-call markup to look for in the text: that of one family of models, `auto` for every unambiguous one, `off` for none. Chosen by the name of the model if left out. */
  readonly tool_format?: 'auto' | 'off' | 'kimi_k3' | 'kimi_k2' | 'harmony' | 'muse_atem' | 'deepseek_v4' | 'deepseek_v32' | 'deepseek_v31' | 'deepseek_v3' | 'glm47' | 'glm45' | 'nemotron3' | 'nemotron_nano_v2' | 'step3p5' | 'qwen3_coder' | 'qwen3' | 'granite4' | 'granite3' | 'granite20b' | 'hermes' | 'minimax_m3' | 'minimax_m2' | 'minimax_m1' | 'seed_oss' | 'mistral_v11' | 'mistral_v3' | 'llama4_pythonic' | 'llama_pythonic' | 'llama3_json' | 'functionary_v31' | 'functionary_v32' | 'command_a' | 'command_r' | 'functiongemma' | 'gemma4' | 'hunyuan_a13b' | 'hunyuan_v3' | 'step3' | 'longcat' | 'ernie45' | 'lfm2' | 'olmo3' | 'phi4_mini' | 'jamba' | 'apriel' | 'apertus' | 'xlam' | 'gigachat3' | 'inkling' | 'hyperclovax_seed' | 'internlm2' | 'interns1' | 'minicpm5' | 'dots' | 'solar_open';
  /** Whether to repair tool-call arguments that are not valid JSON, if the repair is unambiguous: trailing commas, open brackets, raw control characters. The record of the request shows it. */
  readonly repair_arguments?: boolean;
  /** Which side enforces a constraint that not all providers enforce. With `auto`, the gateway enforces it unless the provider’s kind is known to do so. With `provider`, the provider does, unless its `quirks` state that it cannot. With `gateway`, the gateway always does. With `off`, answers pass unchecked. */
  readonly guarantees?: {
    /** Stop sequences never appear in the text. */
    readonly stop?: 'auto' | 'provider' | 'gateway' | 'off';
    /** No answer is longer than `max_tokens`. The gateway truncates only where every tokenizer has reached the cap. */
    readonly max_tokens?: 'auto' | 'provider' | 'gateway' | 'off';
    /** Arguments of tools with `strict: true` fit their schema. They are held until they are complete and fit; if they do not fit, the model is re-prompted. */
    readonly strict?: 'auto' | 'provider' | 'gateway' | 'off';
    /** With `required` or a named function, the model makes a call; with `none`, it makes no call. If a required call is missing, the model is re-prompted. */
    readonly tool_choice?: 'auto' | 'provider' | 'gateway' | 'off';
    /** With a `response_format` of `json_object` or `json_schema`, the text is that JSON with nothing around it. */
    readonly json?: 'auto' | 'provider' | 'gateway' | 'off';
  };
  /** Re-prompts of the model, for tool calls and for JSON. */
  readonly tools?: {
    /** How often the model is re-prompted, with the error, after it violates a constraint that the gateway enforces. It is re-prompted only while no part of the violation has been sent to the client. After the last attempt, the answer fails (`constraint_violated`). */
    readonly attempts?: number;
    /** The payer of answers that were discarded for a re-prompt: the account, together with the final answer, or the operator (`gateway`). */
    readonly paid_by?: 'account' | 'gateway';
  };
  /** How JSON that the gateway enforces is delivered. `stream` checks it as it arrives; an answer that is already partly sent can then only be aborted. `whole` holds it until it is valid, so that the model can be re-prompted for any part of it. */
  readonly json_delivery?: 'stream' | 'whole';
  /** What happens to fields that do not exist in the format of the provider. `hints` drops fields that cannot change the meaning of a request (`seed`, `min_p`, …), moves `temperature` into the provider’s range and refuses requests with other fields (`n` above 1, `logprobs`, …). `refuse` refuses hints too. `drop` drops all of them. The record of the request shows it. */
  readonly untranslatable?: 'hints' | 'refuse' | 'drop';
  /** Prompt caching for clients that do not set it up themselves. With `auto`, a provider of the messages format gets cache markers after long tools, after a long system prompt and after the last turns of a continued conversation, unless the client set its own. A provider that keeps the requests of a conversation together (`quirks.cache_affinity`) gets a name for the conversation. The text that the model reads stays the same. Some providers charge more for cache writes than for other input, see `price`. */
  readonly cache?: 'auto' | 'off';
  /** What happens if a provider fails in the middle of an answer that is only text so far: `never` ends it with an error, `prefill` lets another provider continue the text. Only for models that continue the last assistant message. */
  readonly continue?: 'never' | 'prefill';
  /** Other models that answer instead, in this order, while no content has been sent. The answer contains the `id` of the model that gave it and is charged at its price. A model is skipped if the caller may not use it, if it cannot take the request, or if the balance does not cover it. Their own fallbacks follow; at most four other models are called. Conversations only. */
  readonly fallbacks?: readonly {
    /** The `id` or an alias of another model. */
    readonly model: string;
    /** When it is called. `failure`: every route of the model failed, or none had a free slot in time. `context_overflow`: the prompt is too long for the model, as the gateway or the provider found. `refusal`: the provider’s filter ended the answer before any content. */
    readonly on?: readonly ('failure' | 'context_overflow' | 'refusal')[];
  }[];
  /** Ways to reach the model. */
  readonly routes: readonly {
    /** The `name` of an upstream. */
    readonly upstream: string;
    /** The provider’s name of the model; the `id` if left out. */
    readonly model?: string;
    /** Routes with the lowest number are tried first; the others only if those fail. */
    readonly priority?: number;
    /** Share of the traffic among routes of the same priority. */
    readonly weight?: number;
    /** Maximum number of texts that the provider embeds in one call of this model; the limit of its upstream if left out. */
    readonly embeddings_max?: number;
    /** What the provider charges you for a million tokens, in the form of `price`. Accounts never pay it, and only operators see it: the margin in their overview is computed from it. Unknown if left out. */
    readonly cost?: 'free' | {
      /** Prompt tokens. */
      readonly input: string;
      /** Prompt tokens that the provider read from its cache; `input` if left out. */
      readonly cached_input?: string;
      /** Tokens written to a five-minute cache; `input` if left out. */
      readonly cache_write_5m?: string;
      /** Tokens written to a one-hour cache; `input` if left out. */
      readonly cache_write_1h?: string;
      /** Generated tokens, reasoning included. */
      readonly output: string;
      /** Price of a thousand uses of a tool that the provider runs itself, by tool name: `web_search`, `web_fetch`, `code_execution`, `mcp` and so on. A request for a tool that is not listed is refused; on the responses surface, it is served without the tool. "0" allows a tool free of charge. `price: free` allows all tools, except on the responses surface. */
      readonly provider_tools?: Readonly<Record<string, string>>;
      /** Price of one unit on the `endpoints` that count units other than tokens. Tokens that the provider counts there are charged in addition. */
      readonly units?: {
        /** One generated image. */
        readonly image?: string;
        /** One second of transcribed audio. */
        readonly second?: string;
        /** One character converted to speech. */
        readonly character?: string;
        /** One request, or one search unit of a reranker. */
        readonly request?: string;
      };
    };
  }[];
  /** Price of a million tokens, or `free`. It is never guessed: a model without a price is an error. A request keeps the price it began with. */
  readonly price: 'free' | {
    /** Prompt tokens. */
    readonly input: string;
    /** Prompt tokens that the provider read from its cache; `input` if left out. */
    readonly cached_input?: string;
    /** Tokens written to a five-minute cache; `input` if left out. */
    readonly cache_write_5m?: string;
    /** Tokens written to a one-hour cache; `input` if left out. */
    readonly cache_write_1h?: string;
    /** Generated tokens, reasoning included. */
    readonly output: string;
    /** Price of a thousand uses of a tool that the provider runs itself, by tool name: `web_search`, `web_fetch`, `code_execution`, `mcp` and so on. A request for a tool that is not listed is refused; on the responses surface, it is served without the tool. "0" allows a tool free of charge. `price: free` allows all tools, except on the responses surface. */
    readonly provider_tools?: Readonly<Record<string, string>>;
    /** Price of one unit on the `endpoints` that count units other than tokens. Tokens that the provider counts there are charged in addition. */
    readonly units?: {
      /** One generated image. */
      readonly image?: string;
      /** One second of transcribed audio. */
      readonly second?: string;
      /** One character converted to speech. */
      readonly character?: string;
      /** One request, or one search unit of a reranker. */
      readonly request?: string;
    };
  };
}

export interface NewModels {
  /** Each one as for `POST /admin/v1/models`. */
  readonly models: readonly (Readonly<Record<string, unknown>>)[];
}

export interface NewOperatorInvitation {
  /** Address that the link is for. */
  readonly email: string;
  readonly role: 'read-only' | 'operator' | 'owner';
}

export interface NewOwnKey {
  /** Name by which you recognise it. */
  readonly name: string;
  /** Ids, aliases or patterns. Default: all models that the account may use. */
  readonly models?: readonly string[];
  /** When it expires. Default: never. */
  readonly expires_at?: string;
  /** Spend cap, in total or per `cap_period`. */
  readonly spend_cap?: string;
  /** How often the cap resets, in the `time_zone` of the account. Weeks begin on Monday. Default: never. */
  readonly cap_period?: 'day' | 'week' | 'month';
  /** Requests served at once, over all gateway processes. Further requests wait. Default: no limit. */
  readonly max_concurrency?: number;
  /** IP addresses and ranges from which it may be used. Default: anywhere. */
  readonly addresses?: readonly string[];
  /** Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream. */
  readonly honour_stream_false?: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins. */
  readonly store_bodies?: boolean;
}

export interface NewOwnWebhook {
  /** Name by which you recognise it. */
  readonly name: string;
  /** URL to which deliveries are sent by POST. */
  readonly url: string;
  /** Events that it receives. Default: all. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off')[];
}

export interface NewPackage {
  /** The name that accounts refer to. */
  readonly name: string;
  /** Models its accounts may use. */
  readonly models: readonly string[];
  /** Share of a busy upstream for an account of this package, relative to accounts of other packages: with 4, four times as much as with 1. */
  readonly weight?: number;
}

export interface NewPayment {
  /** A decimal in quotes, in the currency of the gateway. */
  readonly amount: string;
}

export interface NewReset {
  /** The lost credentials. `second-factor` also removes the passkeys, and requires the current password. */
  readonly resets: 'password' | 'second-factor' | 'both';
}

export interface NewSite {
  /** Its name in logs and commands. */
  readonly name: string;
  /** Request domains that select the site. An exact name takes precedence over the longest `*.suffix`, and that over `*`. */
  readonly domains: readonly string[];
  /** Models that exist on this site. */
  readonly models: readonly string[];
  /** Whether `stream: false` gets one JSON body here. Without this setting, every chat answer is a stream. */
  readonly honour_stream_false?: boolean;
  /** Whether the messages surface accepts any key sent as `Authorization: Bearer` here. Otherwise it accepts this only from client libraries of the format, which cannot send it in `x-api-key`. */
  readonly messages_bearer?: boolean;
  /** Title of the dashboard on these domains. */
  readonly title?: string;
  /** Whether new users can sign up in the dashboard here. Their account starts without credit. With `mail`, they confirm their address first. */
  readonly sign_up?: boolean;
  /** The package of accounts created by sign-up. */
  readonly sign_up_package?: string;
}

export interface NewToken {
  /** Name by which you recognise it. */
  readonly name: string;
  readonly role: 'owner' | 'operator' | 'read-only' | 'account';
  /** Id of the account. Only with the role `account`, which requires it. */
  readonly account?: string;
}

export interface NewUpstream {
  /** Its name in routes, logs and the usage tag. */
  readonly name: string;
  /** A provider with a preset (`chat-gateway upstreams presets` lists them; `bedrock`, `google`, `vertex`, `azure`, `cohere` and `mistral` have protocols of their own), `openai` with a `base_url` for any other provider of the chat-completions format, or `simulated`. */
  readonly kind: string;
  /** Whether it gets requests. If not, models that only it serves are not offered. */
  readonly enabled?: boolean;
  /** Address of the API; presets have a default. */
  readonly base_url?: string;
  /** The credential; best written as `${NAME}`. */
  readonly api_key?: string;
  /** Several credentials, used in parallel, instead of `api_key`. A credential that the provider refuses or rate-limits is skipped while the others answer. */
  readonly api_keys?: readonly string[];
  /** The cloud’s region; required for `bedrock`. */
  readonly region?: string;
  /** With `secret_access_key`, the credential of `bedrock` instead of `api_key`. */
  readonly access_key_id?: string;
  /** See `access_key_id`. */
  readonly secret_access_key?: string;
  /** Belongs to an `access_key_id` that is valid for a limited time. */
  readonly session_token?: string;
  /** The cloud project of `vertex`. */
  readonly project?: string;
  /** Where `vertex` runs the model; `global` if left out. */
  readonly location?: string;
  /** The JSON document of a service account’s key, as text: the credential of `vertex` instead of `api_key`. */
  readonly service_account?: string;
  /** The name of the `azure` resource, which is the first part of its host. */
  readonly resource_name?: string;
  /** The version of the `azure` API. A version with a date uses the older addresses, which contain the deployment. */
  readonly api_version?: string;
  /** Extra headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The HTTP proxy for requests to it, or `none`. If left out, the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` decide. Only in the file. */
  readonly proxy?: string;
  /** A PEM file of certificates to trust for the provider, or for a proxy that intercepts TLS, in addition to those that Node trusts. Only in the file. */
  readonly ca_file?: string;
  /** Whether traced calls carry `traceparent` and `tracestate`, each with the id of its own span, so that a server of your own can continue the trace. Other providers do not need it. */
  readonly pass_trace?: boolean;
  /** Answers that run at once; further requests wait for a slot. */
  readonly max_concurrency?: number;
  /** How long the gateway waits for each step before the call fails. */
  readonly timeouts?: {
    /** Until the connection is open, TLS included. */
    readonly connect?: string;
    /** From sending the request to the first event of the answer. */
    readonly first_event?: string;
    /** Between two events of a running answer; comments do not count. */
    readonly idle?: string;
    /** The whole answer. */
    readonly total?: string;
  };
  /** Differences from the standard wire format; values that are left out come from the preset. */
  readonly quirks?: {
    /** The provider’s field for the cap on generated tokens. */
    readonly max_tokens_field?: 'max_tokens' | 'max_completion_tokens';
    /** How thinking and its effort are sent to the provider: `both` sends `thinking` and `reasoning_effort`, `none` sends nothing, the others name the one field that is sent. */
    readonly thinking_style?: 'both' | 'thinking' | 'reasoning_effort' | 'enable_thinking' | 'chat_template_kwargs' | 'reasoning' | 'none';
    /** The provider’s value for high effort. */
    readonly effort_high?: string;
    /** The provider’s value for the highest effort. */
    readonly effort_max?: string;
    /** The provider’s field for the end-user label; `none` does not send it. */
    readonly user_field?: 'user_id' | 'user' | 'none';
    /** Whether `stream_options.include_usage` may be sent. */
    readonly usage_option?: boolean;
    /** The field or header that names the conversation of a request, so that the provider finds the prompt in its cache. Sent for models with `cache: auto`. The name is a keyed hash that reveals nothing about the conversation. On the responses endpoint it always is `prompt_cache_key`. */
    readonly cache_affinity?: 'prompt_cache_key' | 'x-session-affinity' | 'x-grok-conv-id' | 'none';
    /** How many stop sequences the provider accepts and enforces. No more are sent; the gateway enforces the others, or all of them if this is not set. */
    readonly stop_max?: number;
    /** Whether the provider enforces the cap on generated tokens, reasoning included. */
    readonly max_tokens?: boolean;
    /** Whether the provider ensures that arguments of tools with `strict: true` fit their schema. Models are then not re-prompted for it. */
    readonly strict?: boolean;
    /** Whether the provider ensures that a required call is made, and a forbidden one is not. */
    readonly tool_choice?: boolean;
    /** Which `response_format` the provider enforces itself: `object` is `json_object`; `schema` is also `json_schema` with `strict: true`. */
    readonly json?: 'object' | 'schema';
    /** Whether a translated request sends the reasoning of earlier turns back as `reasoning_content`. Some providers need it between tool calls, others refuse it. */
    readonly reasoning_replay?: boolean;
    /** Whether the provider has the responses endpoint. Requests of that format are then passed through to it. With `only` it has no other endpoint, and all requests go there. */
    readonly responses?: boolean | 'only';
    /** Maximum number of texts that the provider embeds in one call. A request with more becomes several calls, one after another, with one answer and one charge. */
    readonly embeddings_max?: number;
    /** Whether the provider has the legacy completions endpoint. */
    readonly completions?: boolean;
    /** Whether that endpoint accepts `suffix` (fill in the middle). */
    readonly suffix?: boolean;
    /** How thinking is requested from a provider of the messages format: with a number of tokens, adaptively, or not at all. Chosen by the name of the model if left out. */
    readonly messages_thinking?: 'budget' | 'adaptive' | 'none';
    /** Base address of the completions endpoint, if it differs. */
    readonly completions_url?: string;
    /** How an answer that broke off at another provider is continued: the flag that marks the last message as the beginning of the answer. `none` if the provider needs no flag. */
    readonly prefix_style?: 'prefix' | 'partial' | 'continue_final_message' | 'none';
    /** Base address for continued answers, if it differs. */
    readonly prefix_url?: string;
  };
}

export interface NewWebhook {
  /** Name by which you recognise it. */
  readonly name: string;
  /** URL to which deliveries are sent by POST. */
  readonly url: string;
  /** Events that it receives. Default: all. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[];
}

export interface OpenLink {
  readonly id: string;
  /** `reset`: a link for a user who cannot sign in. */
  readonly kind: 'account' | 'operator' | 'reset';
  readonly email: string;
  /** Role that the link grants. Null for a reset. */
  readonly role: string | null;
  readonly resets: 'password' | 'second-factor' | 'both' | null;
  readonly account_id: string | null;
  /** Name of the account. */
  readonly account: string | null;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
}

export interface OpenLinkPage {
  readonly data: readonly OpenLink[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'read-only' | 'operator' | 'owner';
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
}

export interface OperatorChange {
  readonly role: 'read-only' | 'operator' | 'owner';
}

export interface OperatorList {
  readonly data: readonly Operator[];
}

export interface OperatorUsage {
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly interval: 'hour' | 'day' | 'month';
  readonly zone: string;
  readonly currency: string;
  /** False while more requests wait to be added than a reader should wait for. */
  readonly is_complete: boolean;
  /** False if the time zone is not whole hours apart from UTC. Days then begin up to an hour late. */
  readonly has_whole_days: boolean;
  /** Oldest first. */
  readonly points: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** ISO 8601, in UTC. */
    readonly until: string;
  }[];
  readonly totals: {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Cost at the providers, for routes that state their `cost`. */
    readonly provider_cost: string;
    /** Amount charged for the requests with a known provider cost. */
    readonly costed_spend: string;
    /** `costed_spend` minus `provider_cost`. */
    readonly margin: string;
  };
  /** Totals of each point. */
  readonly series: readonly {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Cost at the providers, for routes that state their `cost`. */
    readonly provider_cost: string;
    /** Amount charged for the requests with a known provider cost. */
    readonly costed_spend: string;
    /** `costed_spend` minus `provider_cost`. */
    readonly margin: string;
  }[];
  /** Lines that add up to the totals. */
  readonly lines: readonly {
    /** `none`: requests without this value. `other`: everything without a line of its own. */
    readonly kind: 'value' | 'none' | 'other';
    /** Null unless `kind` is `value`. */
    readonly value: string | null;
    /** Name, if `value` is the id of something that still exists. */
    readonly name: string | null;
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Cost at the providers, for routes that state their `cost`. */
    readonly provider_cost: string;
    /** Amount charged for the requests with a known provider cost. */
    readonly costed_spend: string;
    /** `costed_spend` minus `provider_cost`. */
    readonly margin: string;
    /** One entry per point. Empty except for the first lines. */
    readonly series: readonly {
      /** A decimal in the currency of the gateway. */
      readonly spend: string;
      readonly requests: number;
      readonly errors: number;
    }[];
  }[];
}

export type OperatorUsageTable = string;

export interface Overview {
  /** Start of the first hour included. */
  readonly since: string;
  /** End of the last hour included. */
  readonly until: string;
  readonly interval: 'hour' | 'day';
  readonly currency: string;
  readonly totals: {
    /** Amount charged in this time, from the ledger. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens read from a cache. Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved. */
    readonly cache_savings: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Requests that asked for one JSON body and got a stream. */
    readonly unwanted_streams: number;
  };
  /** One point per interval, oldest first, including empty ones. Days are counted from `since`. */
  readonly series: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** Amount charged in this time, from the ledger. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens read from a cache. Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved. */
    readonly cache_savings: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  readonly top_models: readonly {
    /** Empty: no known model. */
    readonly model: string;
    /** A decimal in the currency of the gateway. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  }[];
  readonly top_keys: readonly {
    readonly id: string;
    readonly name: string | null;
    /** A decimal in the currency of the gateway. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  }[];
  /** Keys whose clients ask for one JSON body and get a stream. Clients that cannot read the stream retry, and every retry is charged. Set `honour_stream_false` on the key or the site, or change the clients to request streams. */
  readonly keys_with_unwanted_streams: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly unwanted_streams: number;
    readonly requests: number;
    /** Whether it gets the JSON body now. */
    readonly honour_stream_false: boolean;
  }[];
  readonly errors_by_case: readonly {
    readonly error_case: string;
    readonly status: number | null;
    readonly requests: number;
  }[];
  readonly top_accounts: readonly {
    readonly id: string;
    readonly name: string | null;
    /** A decimal in the currency of the gateway. */
    readonly spend: string;
  }[];
}

export interface OwnAccountChange {
  /** Time zone in which its days, weeks and months begin from now on. */
  readonly time_zone?: string;
  /** Name for people, in any script. Null: `name` is shown. */
  readonly display_name?: string | null;
}

export interface OwnAttempt {
  /** `provider 1`, `provider 2`, … in the order of their first attempts. */
  readonly provider: string;
  /** Time in the queue before it was sent. */
  readonly wait_ms: number;
  /** Back-off before that, because the previous attempt failed. */
  readonly backoff_ms: number;
  /** Requests ahead of it when it entered the queue. */
  readonly position: number | null;
  /** Milliseconds since the request began. */
  readonly began_ms: number;
  /** Milliseconds since the request began. */
  readonly ended_ms: number;
  readonly first_event_ms: number | null;
  readonly status_class: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | null;
  /** Whether the answer came from this attempt. */
  readonly is_answer: boolean;
}

export interface OwnKeyChange {
  /** Name by which you recognise it. */
  readonly name?: string;
  /** Null removes the limit. */
  readonly models?: readonly string[] | null;
  /** Null removes the cap and its period. */
  readonly spend_cap?: string | null;
  /** Null: the cap never resets. */
  readonly cap_period?: 'day' | 'week' | 'month' | null;
  /** Null: no limit. */
  readonly max_concurrency?: number | null;
  /** Null: anywhere. */
  readonly addresses?: readonly string[] | null;
  /** Null: never. */
  readonly expires_at?: string | null;
  /** Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream. */
  readonly honour_stream_false?: boolean;
  /** Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins. */
  readonly store_bodies?: boolean;
}

export interface OwnModel {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Strengths of the model. Null: not given. */
  readonly description: string | null;
  readonly owned_by: string;
  /** `openai` is chat completions, `anthropic` is messages. */
  readonly surfaces: readonly string[];
  /** Pass-through endpoints: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`. */
  readonly endpoints: readonly string[];
  /** In tokens. Null: unknown. */
  readonly context_window: number | null;
  /** In tokens. Null: unknown. */
  readonly max_output_tokens: number | null;
  readonly thinking: boolean;
  readonly price: ModelPrices;
  /** Share of answers, from 0 to 1, that met their constraints (stop sequences, caps, strict arguments, tool choice, JSON), in the last 30 days and over all accounts. Rounded. Null with fewer than 10 such answers. */
  readonly reliability: number | null;
  /** Performance in the last 24 hours, 7 days and 30 days, over the requests of all accounts. Rounded. Null with fewer than 10 requests. */
  readonly performance: OwnPerformance;
}

export interface OwnModels {
  /** The site of the domain. Null: there is none, and therefore no models. */
  readonly site: string | null;
  readonly base_urls: BaseUrls;
  readonly data: readonly OwnModel[];
}

export interface OwnOverview {
  /** Start of the first hour included. */
  readonly since: string;
  /** End of the last hour included. */
  readonly until: string;
  readonly interval: 'hour' | 'day';
  readonly currency: string;
  readonly totals: {
    /** Amount charged in this time, from the ledger. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens read from a cache. Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved. */
    readonly cache_savings: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Requests that asked for one JSON body and got a stream. */
    readonly unwanted_streams: number;
  };
  /** One point per interval, oldest first, including empty ones. Days are counted from `since`. */
  readonly series: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** Amount charged in this time, from the ledger. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens read from a cache. Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved. */
    readonly cache_savings: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  readonly top_models: readonly {
    /** Empty: no known model. */
    readonly model: string;
    /** A decimal in the currency of the gateway. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  }[];
  readonly top_keys: readonly {
    readonly id: string;
    readonly name: string | null;
    /** A decimal in the currency of the gateway. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  }[];
  /** Keys whose clients ask for one JSON body and get a stream. Clients that cannot read the stream retry, and every retry is charged. Set `honour_stream_false` on the key or the site, or change the clients to request streams. */
  readonly keys_with_unwanted_streams: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly unwanted_streams: number;
    readonly requests: number;
    /** Whether it gets the JSON body now. */
    readonly honour_stream_false: boolean;
  }[];
  readonly errors_by_case: readonly {
    readonly error_case: string;
    readonly status: number | null;
    readonly requests: number;
  }[];
}

export interface OwnPerformance {
  readonly day: OwnPerformanceFigures;
  readonly week: OwnPerformanceFigures;
  readonly month: OwnPerformanceFigures;
}

export interface OwnPerformanceFigures {
  /** Share that was answered, from 0 to 1, of the requests that the provider could have answered. */
  readonly uptime: number | null;
  /** Mean time to the first token. */
  readonly first_token_ms: number | null;
  /** Mean output speed, from the first token on. */
  readonly tokens_per_second: number | null;
}

export interface OwnRequest {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly user_id: string | null;
  readonly site: string;
  readonly surface: string;
  /** As the client sent it. */
  readonly requested_model: string;
  /** Catalog id that it resolved to. */
  readonly model: string | null;
  readonly status: number;
  readonly error_case: string | null;
  /** Details that the client got in addition to the text of the case, such as the invalid field. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Source of the token counts. `upstream`: the provider. `counted`: the gateway, because the provider reported none. `estimated`: from the length of the text, because it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  readonly client_gone: boolean;
  /** Whether one JSON body was requested: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream nevertheless. A client that cannot read the stream retries, and every retry is charged. Set `honour_stream_false` on the key or the site, or request streams. */
  readonly unwanted_stream: boolean | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
}

export interface OwnRequestDetail {
  readonly id: string;
  readonly started_at: string | null;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly user_id: string | null;
  readonly site: string | null;
  readonly surface: string | null;
  readonly requested_model: string | null;
  /** Catalog id that it resolved to. */
  readonly model: string | null;
  readonly status: number | null;
  readonly error_case: string | null;
  /** Details that the client got in addition to the text of the case, such as the invalid field. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Source of the token counts. `upstream`: the provider. `counted`: the gateway, because the provider reported none. `estimated`: from the length of the text, because it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly client_gone: boolean | null;
  /** Whether one JSON body was requested: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream nevertheless. A client that cannot read the stream retries, and every retry is charged. Set `honour_stream_false` on the key or the site, or request streams. */
  readonly unwanted_stream: boolean | null;
  /** `recorded` is the normal state. `explanation` describes the others. */
  readonly state: 'recorded' | 'recovered' | 'charged' | 'open';
  readonly explanation: string;
  /** Whether an error was sent as a frame, after the status. */
  readonly ended_in_frame: boolean | null;
  /** Requests ahead of it when it entered the queue. */
  readonly queue_position: number | null;
  readonly cache_write_5m_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  /** The request whose answer this retry got, at no cost. */
  readonly replay_of: string | null;
  /** Calculation of the cost. */
  readonly cost_lines: readonly CostLine[];
  /** Cost of tools that the provider ran, such as web searches. */
  readonly tool_lines: readonly {
    /** Name of a tool, or `unit:` and the unit that was counted instead of tokens. */
    readonly tool: string;
    readonly uses: number;
    /** A decimal in the currency of the gateway. */
    readonly per_thousand: string;
    /** Uses times price. A part of the cost, like the other lines. */
    readonly amount: string;
  }[];
  readonly ledger: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    readonly kind: string;
    /** Negative for charges. */
    readonly amount: string;
    /** `recovery`: charged by the reaper, because the process expired. */
    readonly by: string;
    readonly reason: string;
    readonly price_version: string | null;
  }[];
  /** The stored bodies of the request. Null: there are none. */
  readonly bodies: {
    /** `dropped`: the key stores bodies, but too many were waiting to be written at that moment. `gone`: the bodies were to be stored, but are not there. They were deleted, replaced by newer ones or expired, the key stopped storing, or the process ended before they were written. */
    readonly state: 'stored' | 'dropped' | 'gone';
    /** Original length in bytes. */
    readonly request_bytes: number | null;
    /** Original length in bytes. */
    readonly answer_bytes: number | null;
    /** When they are deleted automatically. */
    readonly deleted_at: string | null;
    /** Whether you may read them. Owners of the account and the creator of the key may. */
    readonly readable: boolean;
  } | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
  /** One entry for each attempt at a provider. */
  readonly attempts: readonly OwnAttempt[];
}

export interface OwnRequestPage {
  readonly data: readonly OwnRequest[];
  /** Send it as `cursor` to get the next page. Null on the last page. A page may have fewer rows than `limit`, or none, and still have a next page. */
  readonly next: string | null;
  /** Requests beyond this time were not searched for this page, because at most 20000 are. Null if that makes no difference. */
  readonly searched_to: string | null;
}

export type OwnRequestTable = string;

export interface OwnWebhookChange {
  /** Name by which you recognise it. */
  readonly name?: string;
  readonly url?: string;
  /** Null: all. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off')[] | null;
  /** Whether it receives events. `true` also re-enables an endpoint that the gateway disabled. */
  readonly is_on?: boolean;
}

export interface Payment {
  /** Reference of its ledger entry. */
  readonly id: string;
  /** A decimal in the currency of the gateway. */
  readonly amount: string;
  readonly currency: string;
  /** `ended`: not paid, and no longer payable. */
  readonly state: 'open' | 'paid' | 'ended';
  /** Amount that was refunded to the payer. */
  readonly refunded: string;
  readonly by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly paid_at: string | null;
}

export interface Payments {
  /** Whether payments are enabled. */
  readonly is_offered: boolean;
  readonly currency: string;
  /** A decimal in the currency of the gateway. */
  readonly amount_min: string;
  /** A decimal in the currency of the gateway. */
  readonly amount_max: string;
  /** Your latest payments, newest first. */
  readonly data: readonly Payment[];
}

export interface Performance {
  readonly day: PerformanceFigures;
  readonly week: PerformanceFigures;
  readonly month: PerformanceFigures;
}

export interface PerformanceFigures {
  /** Share that was answered, from 0 to 1, of the requests that the provider could have answered. */
  readonly uptime: number | null;
  /** Mean time to the first token. */
  readonly first_token_ms: number | null;
  /** Mean output speed, from the first token on. */
  readonly tokens_per_second: number | null;
  readonly answered: number;
  /** Failures caused by the provider. Failures caused by the client, or by a lack of funds, do not count. */
  readonly failed: number;
  /** Answers included in `first_token_ms`. */
  readonly timed: number;
  /** Answers included in `tokens_per_second`. */
  readonly paced: number;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Whether sign-in requires a code after the password. */
  readonly two_factor: boolean;
  readonly operator: 'read-only' | 'operator' | 'owner' | null;
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: 'owner' | 'member' | 'viewer';
  }[];
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
}

export interface PersonChange {
  readonly name: string;
}

export interface PersonPage {
  readonly data: readonly Person[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface Preset {
  /** The `kind` of an upstream. */
  readonly name: string;
  readonly title: string;
  /** Base URL of its API. Capitals mark parts that depend on the customer. */
  readonly base_url: string;
  /** Environment variables that may hold its credential, the usual one first. */
  readonly environment: readonly string[];
  /** Fields in addition to those of all upstreams. */
  readonly fields: readonly string[];
  /** Required settings, as they are written. */
  readonly needs: readonly string[];
  readonly note: string | null;
}

export interface Presets {
  readonly data: readonly Preset[];
}

export interface ProcessShare {
  /** Unique name of the process. Names are never reused. */
  readonly process: string;
  readonly host: string;
  readonly pid: number;
  /** Number of the worker on its machine. Null: the machine has no workers. */
  readonly worker: number | null;
  /** Slots that it may use here. */
  readonly lease: number;
  readonly running: number;
  readonly waiting: number;
  /** Age of its last heartbeat, compared with the newest heartbeat of all processes. Beyond a few seconds, the process is frozen or gone. */
  readonly heartbeat_age_ms: number;
}

export interface Redeemed {
  /** Reference of its ledger entry. */
  readonly id: string;
  /** Value of the code. */
  readonly amount: string;
  readonly kind: 'top_up' | 'grant';
  /** Your balance after the redemption. */
  readonly balance: Balance;
}

export interface Redemption {
  /** The code as you got it. Case, spaces and dashes are ignored. */
  readonly code: string;
}

export interface RedemptionCode {
  /** Reference of its ledger entry. */
  readonly id: string;
  /** First and last characters of the code. */
  readonly display: string;
  readonly state: 'open' | 'redeemed' | 'withdrawn';
  readonly redeemed_at: string | null;
  readonly account_id: string | null;
  readonly account_name: string | null;
  readonly redeemed_by: string | null;
}

export interface RedemptionCodePage {
  readonly data: readonly RedemptionCode[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface Replica {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  /** Last heartbeat, by the clock of the database. A process sends one every 5 s. */
  readonly last_seen_at: string;
  readonly is_alive: boolean;
  readonly is_self: boolean;
}

export interface Request {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly user_id: string | null;
  readonly site: string;
  readonly surface: string;
  /** As the client sent it. */
  readonly requested_model: string;
  /** Catalog id that it resolved to. */
  readonly model: string | null;
  readonly status: number;
  readonly error_case: string | null;
  /** Details that the client got in addition to the text of the case, such as the invalid field. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Source of the token counts. `upstream`: the provider. `counted`: the gateway, because the provider reported none. `estimated`: from the length of the text, because it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  readonly client_gone: boolean;
  /** Whether one JSON body was requested: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream nevertheless. A client that cannot read the stream retries, and every retry is charged. Set `honour_stream_false` on the key or the site, or request streams. */
  readonly unwanted_stream: boolean | null;
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempt_count: number;
  readonly notes: readonly string[];
  readonly account_name: string | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
}

export interface RequestBodies {
  /** As the client sent it. Null if nothing was received. */
  readonly request: RequestBody | null;
  /** As the client received it. Null if nothing was sent. */
  readonly answer: RequestBody | null;
  /** ISO 8601, in UTC. */
  readonly stored_at: string;
  /** When they are deleted automatically. */
  readonly deleted_at: string;
}

export interface RequestBody {
  /** The body as text. Null if it is not text. */
  readonly text: string | null;
  /** The bytes of the body, if it is not text. */
  readonly base64: string | null;
  /** Original length in bytes. */
  readonly bytes: number;
  /** Whether only the beginning was stored. */
  readonly truncated: boolean;
}

export interface RequestDetail {
  readonly id: string;
  readonly started_at: string | null;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly user_id: string | null;
  readonly site: string | null;
  readonly surface: string | null;
  readonly requested_model: string | null;
  /** Catalog id that it resolved to. */
  readonly model: string | null;
  readonly status: number | null;
  readonly error_case: string | null;
  /** Details that the client got in addition to the text of the case, such as the invalid field. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Source of the token counts. `upstream`: the provider. `counted`: the gateway, because the provider reported none. `estimated`: from the length of the text, because it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly client_gone: boolean | null;
  /** Whether one JSON body was requested: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream nevertheless. A client that cannot read the stream retries, and every retry is charged. Set `honour_stream_false` on the key or the site, or request streams. */
  readonly unwanted_stream: boolean | null;
  /** `recorded` is the normal state. `explanation` describes the others. */
  readonly state: 'recorded' | 'recovered' | 'charged' | 'open';
  readonly explanation: string;
  /** Whether an error was sent as a frame, after the status. */
  readonly ended_in_frame: boolean | null;
  /** Requests ahead of it when it entered the queue. */
  readonly queue_position: number | null;
  readonly cache_write_5m_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  /** The request whose answer this retry got, at no cost. */
  readonly replay_of: string | null;
  /** Calculation of the cost. */
  readonly cost_lines: readonly CostLine[];
  /** Cost of tools that the provider ran, such as web searches. */
  readonly tool_lines: readonly {
    /** Name of a tool, or `unit:` and the unit that was counted instead of tokens. */
    readonly tool: string;
    readonly uses: number;
    /** A decimal in the currency of the gateway. */
    readonly per_thousand: string;
    /** Uses times price. A part of the cost, like the other lines. */
    readonly amount: string;
  }[];
  readonly ledger: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    readonly kind: string;
    /** Negative for charges. */
    readonly amount: string;
    /** `recovery`: charged by the reaper, because the process expired. */
    readonly by: string;
    readonly reason: string;
    readonly price_version: string | null;
  }[];
  /** The stored bodies of the request. Null: there are none. */
  readonly bodies: {
    /** `dropped`: the key stores bodies, but too many were waiting to be written at that moment. `gone`: the bodies were to be stored, but are not there. They were deleted, replaced by newer ones or expired, the key stopped storing, or the process ended before they were written. */
    readonly state: 'stored' | 'dropped' | 'gone';
    /** Original length in bytes. */
    readonly request_bytes: number | null;
    /** Original length in bytes. */
    readonly answer_bytes: number | null;
    /** When they are deleted automatically. */
    readonly deleted_at: string | null;
    /** Whether you may read them. Owners of the account and the creator of the key may. */
    readonly readable: boolean;
  } | null;
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempt_count: number | null;
  readonly notes: readonly string[];
  /** One entry for each attempt at an upstream. */
  readonly attempts: readonly Attempt[];
  readonly account_name: string | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
}

export interface RequestPage {
  readonly data: readonly Request[];
  /** Send it as `cursor` to get the next page. Null on the last page. A page may have fewer rows than `limit`, or none, and still have a next page. */
  readonly next: string | null;
  /** Requests beyond this time were not searched for this page, because at most 20000 are. Null if that makes no difference. */
  readonly searched_to: string | null;
}

export type RequestTable = string;

export interface Resource {
  readonly kind: 'upstream' | 'model' | 'package' | 'site';
  readonly name: string;
  /** `file`: defined in the configuration file, and changed only there. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly updated_at: string;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
  /** As in the configuration file, without secrets. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Fields that hold a secret. They can be set but are never shown. */
  readonly secrets: readonly string[];
}

export interface ResourcePage {
  readonly data: readonly Resource[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface SecretOverlap {
  /** How long both secrets sign: a duration such as 24h, or `now` to use only the new one. */
  readonly overlap: string;
}

export interface Statement {
  /** Such as `2026-03`. */
  readonly month: string;
  /** Time zone in which the month ends: that of the account when the month was closed. */
  readonly time_zone: string;
  /** End of the previous month. */
  readonly starts_at: string;
  /** ISO 8601, in UTC. */
  readonly ends_at: string;
  /** Whether it is final. Later bookings belong to a later month. */
  readonly is_closed: boolean;
  readonly currency: string;
  /** Balance at the start. */
  readonly opening: string;
  /** A decimal in the currency of the gateway. */
  readonly top_ups: string;
  /** A decimal in the currency of the gateway. */
  readonly grants: string;
  /** A decimal in the currency of the gateway. */
  readonly refunds: string;
  /** A decimal in the currency of the gateway. */
  readonly adjustments: string;
  /** Payments that were returned to the payer. Negative. */
  readonly reversals: string;
  /** Negative. */
  readonly charges: string;
  /** Balance at the end, or now. */
  readonly closing: string;
  /** Charges by model, largest first. They add up to `charges`. */
  readonly models: readonly {
    /** Null: charges without a known model, and models that are not listed. */
    readonly model: string | null;
    /** A decimal in the currency of the gateway. */
    readonly amount: string;
  }[];
}

export interface StatementLine {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** `charge`, `charge-rest`, `grant`, `top_up`, `refund`, `adjust` or `reversal`. */
  readonly kind: string;
  /** The request or credit that it belongs to. */
  readonly reference: string;
  /** The key whose request was charged. */
  readonly key_id: string | null;
  /** Negative for charges. */
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
  /** Name of the key. Null if it no longer exists. */
  readonly key_name: string | null;
  /** Balance after this entry. */
  readonly balance: string;
}

export interface StatementLinePage {
  readonly data: readonly StatementLine[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface StatementSummary {
  /** Such as `2026-03`. */
  readonly month: string;
  /** Time zone in which the month ends: that of the account when the month was closed. */
  readonly time_zone: string;
  /** End of the previous month. */
  readonly starts_at: string;
  /** ISO 8601, in UTC. */
  readonly ends_at: string;
  /** Whether it is final. Later bookings belong to a later month. */
  readonly is_closed: boolean;
  readonly currency: string;
  /** Balance at the start. */
  readonly opening: string;
  /** A decimal in the currency of the gateway. */
  readonly top_ups: string;
  /** A decimal in the currency of the gateway. */
  readonly grants: string;
  /** A decimal in the currency of the gateway. */
  readonly refunds: string;
  /** A decimal in the currency of the gateway. */
  readonly adjustments: string;
  /** Payments that were returned to the payer. Negative. */
  readonly reversals: string;
  /** Negative. */
  readonly charges: string;
  /** Balance at the end, or now. */
  readonly closing: string;
}

export type StatementTable = string;

export interface Statements {
  readonly data: readonly StatementSummary[];
}

export interface StoredBodies {
  /** Whether keys may store bodies. */
  readonly allowed: boolean;
  /** How long bodies are kept. */
  readonly keep_seconds: number | null;
  /** Bytes kept of each body. */
  readonly max_bytes: number | null;
  /** Requests with stored bodies. */
  readonly requests: number;
  /** Size of the bodies in the store. */
  readonly bytes: number;
}

export interface StoredResponses {
  readonly responses: number;
  readonly bytes: number;
  /** The accounts with the most bytes, at most ten. */
  readonly accounts: readonly {
    readonly account_id: string;
    readonly account: string;
    readonly responses: number;
    readonly bytes: number;
  }[];
}

export interface System {
  /** The value of `x-gateway-version`. */
  readonly version: string;
  /** Build time. */
  readonly build: string;
  /** Database engine. */
  readonly engine: 'sqlite' | 'postgres';
  /** Last migration of the store. */
  readonly schema_version: string;
  readonly currency: string;
  /** The process that answered. */
  readonly process: {
    readonly id: string;
    /** ISO 8601, in UTC. */
    readonly started_at: string;
    readonly uptime_s: number;
  };
  /** Processes that use this store, oldest first. */
  readonly replicas: readonly Replica[];
  /** Stored responses that clients may refer to later: count and size, never content. */
  readonly stored_responses: StoredResponses;
  /** Charges that the store rejected, as reported by `charge.refused`: the first of a day for each account, newest first, at most ten. */
  readonly dead_letter_charges: readonly DeadLetterCharge[];
  readonly config: {
    /** Name of the configuration file, without its folder. Null: the process runs on defaults. */
    readonly file: string | null;
    /** Entries that only the file can change. */
    readonly owned: readonly {
      readonly kind: 'upstream' | 'model' | 'package' | 'site';
      readonly name: string;
    }[];
    /** Differences between the store and the file of this process. Another process may use another file. */
    readonly drift: readonly Drift[];
    /** Stored entries that are not used, and why. */
    readonly problems: readonly string[];
  };
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'operator' | 'read-only' | 'account';
  /** Set for the role `account`. */
  readonly account_id: string | null;
  readonly display: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Last use, up to a minute late. Null: no use since the gateway records it. */
  readonly last_used_at: string | null;
}

export interface TokenPage {
  readonly data: readonly Token[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  readonly next: string | null;
}

export interface ToolCalls {
  readonly seen: number;
  readonly parsed: number;
  readonly repaired: number;
  readonly failed: number;
}

export interface UpstreamHealth {
  readonly upstreams: readonly {
    readonly name: string;
    /** Answers running now. */
    readonly running: number;
    /** Requests waiting for a slot. */
    readonly waiting: number;
    /** Concurrency limit: answers that may run at once. */
    readonly limit: number;
    readonly credentials: readonly CredentialHealth[];
    /** Share of each process. Empty if one process has all slots. */
    readonly processes: readonly ProcessShare[];
  }[];
  /** Retries in flight, and their limit. */
  readonly retries: {
    readonly in_use: number;
    readonly limit: number;
  };
}

export interface UpstreamKeys {
  /** The new credentials, or references such as `${NAME}` to environment variables of the gateway. */
  readonly api_keys: readonly string[];
}

export interface UpstreamTest {
  readonly ok: boolean;
  /** The probe that was sent to the provider. */
  readonly asked: 'model_list' | 'answer' | 'nothing';
  /** HTTP status of the provider. Null: no response. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** Chat models that the provider lists, at most 1000. */
  readonly models: readonly string[];
  /** Suggested prices and limits for them, from the table that comes with the gateway. */
  readonly known: readonly KnownModel[];
  /** The error and what to do, without secrets. */
  readonly error: string | null;
}

export interface Usage {
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly data: readonly {
    /** A catalog id or a key id. Empty for requests that named an unknown model. */
    readonly name: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** A decimal in the currency of the gateway. */
    readonly cost: string;
  }[];
}

export interface UsageByDimension {
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly interval: 'hour' | 'day' | 'month';
  readonly zone: string;
  readonly currency: string;
  /** False while more requests wait to be added than a reader should wait for. */
  readonly is_complete: boolean;
  /** False if the time zone is not whole hours apart from UTC. Days then begin up to an hour late. */
  readonly has_whole_days: boolean;
  /** Oldest first. */
  readonly points: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** ISO 8601, in UTC. */
    readonly until: string;
  }[];
  readonly totals: {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  };
  /** Totals of each point. */
  readonly series: readonly {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  /** Lines that add up to the totals. */
  readonly lines: readonly {
    /** `none`: requests without this value. `other`: everything without a line of its own. */
    readonly kind: 'value' | 'none' | 'other';
    /** Null unless `kind` is `value`. */
    readonly value: string | null;
    /** Name, if `value` is the id of something that still exists. */
    readonly name: string | null;
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client disconnected before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** Included in `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** Included in `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** Amount charged for the requests that began in this time. */
    readonly spend: string;
    /** Mean time in the queue, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Mean time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** One entry per point. Empty except for the first lines. */
    readonly series: readonly {
      /** A decimal in the currency of the gateway. */
      readonly spend: string;
      readonly requests: number;
      readonly errors: number;
    }[];
  }[];
}

export type UsageTable = string;

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Events that it receives. Null: all that concern it. */
  readonly events: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** `failed`: disabled by the gateway after three days without a successful delivery. */
  readonly status: 'on' | 'paused' | 'failed';
  /** `file`: defined in the configuration file, and changed only there. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Start of the current series of failed attempts. */
  readonly failing_since: string | null;
  /** Until then, deliveries are also signed with the previous secret. */
  readonly old_secret_until: string | null;
  /** Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed. */
  readonly version: string;
}

export interface WebhookChange {
  /** Name by which you recognise it. */
  readonly name?: string;
  readonly url?: string;
  /** Null: all. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** Whether it receives events. `true` also re-enables an endpoint that the gateway disabled. */
  readonly is_on?: boolean;
}

export interface WebhookList {
  readonly data: readonly Webhook[];
}
