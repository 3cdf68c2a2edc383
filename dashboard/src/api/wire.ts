// biome-ignore-all format: it is written by scripts/wire-types.ts from the description of the API.
// Change the schemas in src/admin and run that script.

export interface Account {
  readonly id: string;
  /** What files and commands call it; it stays. */
  readonly name: string;
  /** What people call it, in any script; null: by its name. */
  readonly display_name: string | null;
  /** What it may use. */
  readonly package: string;
  readonly status: 'active' | 'suspended';
  /** By whose clocks its days, weeks and months begin, where caps of its keys renew. */
  readonly time_zone: string;
  /** `file`: the configuration file decides its package. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
  /** What it has, as `total` of its balance. */
  readonly balance: string;
  /** Keys that are not revoked. */
  readonly keys: number;
  /** When one of its keys was last used; up to a minute late. */
  readonly last_used_at: string | null;
}

export interface AccountChange {
  /** What it may use from now on. */
  readonly package?: string;
  /** By whose clocks its days, weeks and months begin from now on. */
  readonly time_zone?: string;
  /** What people call it; null: by its name. */
  readonly display_name?: string | null;
}

export interface AccountPage {
  readonly data: readonly Account[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface AddedModels {
  readonly data: readonly Resource[];
}

export interface Alerts {
  /** The balance at which `balance.low` is told; null: never. */
  readonly low_balance: string | null;
  /** Who gets letters about the account, by their addresses; null: all of its owners. */
  readonly recipients: readonly string[] | null;
  /** How often a letter tells how things went: requests, errors, spend, balance, models, alerts. */
  readonly digest: 'off' | 'daily' | 'weekly';
  /** Who can be chosen: members whose address is known to be theirs. */
  readonly readers: readonly string[];
  /** Whether the gateway can send letters at all. */
  readonly is_mail_on: boolean;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
}

export interface AlertsChange {
  /** A decimal in quotes; null: never. */
  readonly low_balance?: string | null;
  /** Addresses of members; null: all owners. */
  readonly recipients?: readonly string[] | null;
  /** How often a letter tells how things went: requests, errors, spend, balance, models, alerts. */
  readonly digest?: 'off' | 'daily' | 'weekly';
}

export interface Attempt {
  readonly upstream: string;
  readonly upstream_model: string;
  /** Which of the credentials of the upstream was used, counted from 0. */
  readonly credential: number | null;
  /** How long it waited for its turn before it was sent. */
  readonly wait_ms: number;
  /** How long it paused before that, since the attempt before had failed. */
  readonly backoff_ms: number;
  /** How many waited before it when it came. */
  readonly position: number | null;
  /** Milliseconds since the request began. */
  readonly began_ms: number;
  /** Milliseconds since the request began. */
  readonly ended_ms: number;
  readonly first_event_ms: number | null;
  /** What the provider answered with, if it did. */
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
  /** What the token is called. */
  readonly actor_name: string | null;
  readonly role: string;
  /** The operation of this document, the command, or what someone did about their way in. */
  readonly action: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  /** What people call it, or whom it is for. */
  readonly subject_name: string | null;
  /** Null if it did not exist. */
  readonly before: unknown;
  /** Null if it no longer exists. */
  readonly after: unknown;
  /** Where it came from; null for commands, and for what was done before this was kept. */
  readonly address: string | null;
  /** What the client called itself in `user-agent`. */
  readonly device: string | null;
  readonly request_id: string | null;
}

export interface AuditLinePage {
  readonly data: readonly AuditLine[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export type AuditTable = string;

export interface Balance {
  readonly currency: string;
  /** A decimal in the currency of the gateway. */
  readonly total: string;
  /** What the operator gave; spent first. */
  readonly granted: string;
  /** A decimal in the currency of the gateway. */
  readonly topped_up: string;
  /** Held for requests that are running. */
  readonly reserved: string;
}

/** What clients of each surface are given as their base address. */
export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
}

export interface CatalogModel {
  readonly id: string;
  readonly aliases: readonly string[];
  /** What it is good at; null: not said. */
  readonly description: string | null;
  readonly owned_by: string;
  /** `openai` is chat completions, `anthropic` is messages. */
  readonly surfaces: readonly string[];
  /** Endpoints that hand bodies on to it: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`. */
  readonly endpoints: readonly string[];
  /** Tokens; null: not known. */
  readonly context_window: number | null;
  /** Tokens; null: not known. */
  readonly max_output_tokens: number | null;
  readonly thinking: boolean;
  readonly price: ModelPrices;
  /** How well it has called tools so far; null if it never has. */
  readonly tool_calls: ToolCalls | null;
  /** What became of constraints that the gateway keeps for it, in the last 30 days; what was never asked for is not mentioned. */
  readonly constraints: readonly ConstraintResults[];
  /** How it did as its callers saw it, over all its routes, in the last 24 hours, 7 days and 30 days. */
  readonly performance: Performance;
  readonly routes: readonly {
    readonly upstream: string;
    /** What the provider calls it. */
    readonly model: string;
    /** The lowest is tried first. */
    readonly priority: number;
    /** The share among routes of the same priority. */
    readonly weight: number;
    /** That of its best credential; null: not in use here. */
    readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled' | null;
    readonly running: number;
    readonly waiting: number;
    readonly limit: number;
    /** How the upstream did with what it calls the model, whichever model of the catalog led there: single calls, from when they were sent. */
    readonly performance: Performance;
  }[];
}

export interface CatalogModels {
  readonly data: readonly CatalogModel[];
}

export interface CatalogView {
  /** The site that the domain selects; null if there is none. */
  readonly site: string | null;
  /** Unless it is `active`, it gets 401. */
  readonly key_state: 'active' | 'expired' | 'revoked' | 'suspended';
  /** What `GET /v1/models` would list. */
  readonly models: readonly {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly owned_by: string;
    readonly surfaces: readonly string[];
    /** How well it has called tools so far; null if it never has. */
    readonly tool_calls: ToolCalls | null;
  }[];
}

export interface Checkout {
  readonly url: string;
}

export interface CodeBatch {
  readonly id: string;
  readonly note: string;
  /** What each code brings. */
  readonly amount: string;
  /** How the ledger calls it: `top_up` was paid for elsewhere, `grant` is a present and is spent first. */
  readonly kind: 'top_up' | 'grant';
  /** The only site where they can be redeemed; null: any. */
  readonly site: string | null;
  /** The only package whose accounts may redeem them; null: any. */
  readonly package: string | null;
  readonly expires_at: string | null;
  readonly count: number;
  readonly redeemed: number;
  /** Those that were withdrawn before anybody redeemed them. */
  readonly withdrawn: number;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
}

export interface CodeBatchPage {
  readonly data: readonly CodeBatch[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface ConstraintResults {
  /** `stop`, `max_tokens`, `strict`, `tool_choice` or `json`. */
  readonly constraint: string;
  /** Answers of the model that the gateway watched over for it. */
  readonly seen: number;
  /** The model kept it by itself. */
  readonly met: number;
  /** The gateway mended the answer. */
  readonly repaired: number;
  /** The answer was thrown away, and the model asked once more. */
  readonly reprompted: number;
  /** Nothing helped, and the client was told. */
  readonly violated: number;
}

export interface CostLine {
  readonly kind: 'input' | 'cached_input' | 'cache_write_5m' | 'cache_write_1h' | 'output';
  readonly tokens: number;
  /** A decimal in the currency of the gateway. */
  readonly per_million: string;
  /** Tokens times price; the sum of all lines, rounded up to a billionth, is the cost. */
  readonly amount: string;
}

export interface CredentialHealth {
  /** Its place in the list of credentials, counted from 0. */
  readonly index: number;
  /** After several failures in a row a credential is `ejected` for a while, then tried by one request (`half-open`) and brought back slowly (`ramping`). One that the provider refuses is `disabled`. Where it is the last one a model has, it is used all the same. */
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  /** When it is tried again; null unless it is out. */
  readonly ejected_until: string | null;
  /** Until when the provider asked to be left alone. */
  readonly cooldown_until: string | null;
  readonly running: number;
  /** Usual time to the first content. */
  readonly latency_ms: number | null;
  readonly consecutive_failures: number;
  /** In the words of the provider, without secrets. */
  readonly last_error: string | null;
  readonly last_error_at: string | null;
}

export interface Credit {
  readonly kind: 'grant' | 'top_up' | 'refund' | 'adjust';
  /** A decimal in quotes; negative only with `adjust`. */
  readonly amount: string;
  /** Names this credit for good: sent again with the same kind, it changes nothing. */
  readonly reference: string;
  /** Why; it stands in the ledger. */
  readonly reason: string;
}

export interface Credited {
  readonly currency: string;
  /** A decimal in the currency of the gateway. */
  readonly total: string;
  /** What the operator gave; spent first. */
  readonly granted: string;
  /** A decimal in the currency of the gateway. */
  readonly topped_up: string;
  /** Held for requests that are running. */
  readonly reserved: string;
  /** False when this reference was booked before; then nothing was changed. */
  readonly is_new: boolean;
}

export interface DeadLetterCharge {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly request_id: string;
  readonly account_id: string;
  /** Its name; null: it is not known here. */
  readonly account: string | null;
  readonly cost: string;
  /** The store's reason. */
  readonly error: string;
  /** Whether it could be booked since. */
  readonly is_booked: boolean;
}

export interface DeletedBodies {
  /** Of how many requests bodies were deleted. */
  readonly deleted: number;
  /** Whether there are more: ask again until there are none. */
  readonly more: boolean;
}

export interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  /** The same however often it is sent. */
  readonly event_id: string;
  readonly event: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly attempts: number;
  /** When it is tried next. */
  readonly next_at: string | null;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** The last attempts, oldest first. */
  readonly trail: readonly DeliveryAttempt[];
}

export interface DeliveryAttempt {
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** What the address answered; null where nothing came. */
  readonly status: number | null;
  /** What went wrong; null where it arrived. */
  readonly fault: 'status' | 'timeout' | 'unreachable' | 'address-refused' | 'no-secret' | 'too-many-waiting' | 'mail-refused' | null;
  readonly duration_ms: number;
}

export interface DeliveryPage {
  readonly data: readonly Delivery[];
  /** Send it as `cursor` for the next page; null on the last one. */
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
  /** `now`, or a duration such as 1h or 24h. */
  readonly grace: string;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** Who invited them. */
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
}

export interface InvitationList {
  readonly data: readonly Invitation[];
}

export interface KeptResponses {
  readonly responses: number;
  readonly bytes: number;
  /** Those with the most, at most ten. */
  readonly accounts: readonly {
    readonly account_id: string;
    readonly account: string;
    readonly responses: number;
    readonly bytes: number;
  }[];
}

export interface Key {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** The first and last characters of the secret. */
  readonly display: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** Null: all that the account may use. */
  readonly models: readonly string[] | null;
  /** What it may spend, in all or in each `cap_period`; null: no cap of its own. */
  readonly spend_cap: string | null;
  /** How often the cap is new, by the clocks of the account’s `time_zone`; weeks begin on Monday. Null: never. */
  readonly cap_period: 'day' | 'week' | 'month' | null;
  /** How many of its requests are worked on at once, over all gateways; more wait. Null: as many as come. */
  readonly max_concurrency: number | null;
  /** Addresses and ranges it may be used from; null: anywhere. */
  readonly addresses: readonly string[] | null;
  /** Whether `stream: false` gets one JSON body on the chat surface, also where the site does not say so. */
  readonly honour_stream_false: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while, where that is allowed. */
  readonly store_bodies: boolean;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Up to a minute late. */
  readonly last_used_at: string | null;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
  /** What its requests were charged so far. */
  readonly spent: string;
  /** What counts against the cap now: of this period, and with what the keys it replaced have spent. */
  readonly cap_spent: string | null;
  /** When the cap is new again; null where it never is. */
  readonly cap_renews_at: string | null;
}

export interface KeyLimits {
  /** How you will recognise it. */
  readonly name?: string;
  /** Null takes the limit away. */
  readonly models?: readonly string[] | null;
  /** Null: no cap, and none that renews. */
  readonly spend_cap?: string | null;
  /** Null: the cap is for all time. */
  readonly cap_period?: 'day' | 'week' | 'month' | null;
  /** Null: as many as come. */
  readonly max_concurrency?: number | null;
  /** Null: from anywhere. */
  readonly addresses?: readonly string[] | null;
  /** Null: never. */
  readonly expires_at?: string | null;
  /** Whether `stream: false` gets one JSON body on the chat surface. For clients that cannot read the stream that is the answer otherwise. */
  readonly honour_stream_false?: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while. Refused where `stored_bodies` of the configuration does not allow it; the account is told when it begins. */
  readonly store_bodies?: boolean;
}

export interface KeyPage {
  readonly data: readonly Key[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface KnownModel {
  /** As the provider lists it. */
  readonly model: string;
  /** The model whose price it is. */
  readonly known_as: string;
  /** The day of the fact. Prices change: check them. */
  readonly as_of: string;
  readonly currency: string;
  /** For a million tokens, as an entry of the catalog says it. */
  readonly price: Readonly<Record<string, string>>;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

export interface LedgerCheck {
  /** What must be true. */
  readonly title: string;
  /** How many things were looked at. */
  readonly count: number;
  /** What breaks it, at most 20; empty when it holds. */
  readonly violations: readonly string[];
}

export interface LedgerLine {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** `charge`, `charge-rest`, `grant`, `top_up`, `refund`, `adjust` or `reversal`. */
  readonly kind: string;
  /** The request or the credit it belongs to. */
  readonly reference: string;
  /** The key whose request was charged. */
  readonly key_id: string | null;
  /** What was spent is negative. */
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
  /** What the key is called; null if it is gone. */
  readonly key_name: string | null;
}

export interface LedgerLinePage {
  readonly data: readonly LedgerLine[];
  /** Send it as `cursor` for the next page; null on the last one. */
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
  /** Who answers; the figures are those of all processes that share the upstreams. */
  readonly process: {
    readonly id: string;
    /** ISO 8601, in UTC. */
    readonly started_at: string;
  };
  readonly totals: {
    /** Requests being served. */
    readonly requests: number;
    /** Answers running at upstreams. */
    readonly running: number;
    readonly waiting: number;
    /** Tries beyond the first that are under way. */
    readonly retries: number;
    readonly retries_limit: number;
  };
  readonly rates: {
    /** A second, over the last minute. */
    readonly requests: number;
    /** A second, over the last minute. */
    readonly errors: number;
    /** A second, over the last minute. */
    readonly prompt_tokens: number;
    /** A second, over the last minute. */
    readonly completion_tokens: number;
  };
  readonly upstreams: readonly LiveQueue[];
  /** Over all upstreams, the busiest first, at most 100. */
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
  /** That of its best credential. */
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  readonly running: number;
  readonly waiting: number;
  /** Answers that may run at once. */
  readonly limit: number;
  /** Until when the provider asked to be left alone. */
  readonly cooldown_until: string | null;
  /** Jain's index over the accounts that wait: 1 is even. Null while there are not two to compare. */
  readonly fairness: number | null;
  /** The busiest, at most 100. */
  readonly accounts: readonly LiveAccount[];
  /** Who has what of it; empty where one process has all. */
  readonly processes: readonly PlaceHolder[];
}

export interface MadeCodeBatch {
  readonly id: string;
  readonly note: string;
  /** What each code brings. */
  readonly amount: string;
  /** How the ledger calls it: `top_up` was paid for elsewhere, `grant` is a present and is spent first. */
  readonly kind: 'top_up' | 'grant';
  /** The only site where they can be redeemed; null: any. */
  readonly site: string | null;
  /** The only package whose accounts may redeem them; null: any. */
  readonly package: string | null;
  readonly expires_at: string | null;
  readonly count: number;
  readonly redeemed: number;
  /** Those that were withdrawn before anybody redeemed them. */
  readonly withdrawn: number;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** They are in this reply and nowhere else. */
  readonly codes: readonly string[];
}

export interface MadeInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** Who invited them. */
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
  /** The path to open, on any domain of the gateway. Shown this once. */
  readonly link: string;
  /** Whether a letter with the link is on its way; otherwise it has to be passed on. */
  readonly mailed: boolean;
}

export interface MadeKey {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** The first and last characters of the secret. */
  readonly display: string;
  readonly state: 'active' | 'expired' | 'revoked';
  /** Null: all that the account may use. */
  readonly models: readonly string[] | null;
  /** What it may spend, in all or in each `cap_period`; null: no cap of its own. */
  readonly spend_cap: string | null;
  /** How often the cap is new, by the clocks of the account’s `time_zone`; weeks begin on Monday. Null: never. */
  readonly cap_period: 'day' | 'week' | 'month' | null;
  /** How many of its requests are worked on at once, over all gateways; more wait. Null: as many as come. */
  readonly max_concurrency: number | null;
  /** Addresses and ranges it may be used from; null: anywhere. */
  readonly addresses: readonly string[] | null;
  /** Whether `stream: false` gets one JSON body on the chat surface, also where the site does not say so. */
  readonly honour_stream_false: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while, where that is allowed. */
  readonly store_bodies: boolean;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Up to a minute late. */
  readonly last_used_at: string | null;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
  /** What its requests were charged so far. */
  readonly spent: string;
  /** What counts against the cap now: of this period, and with what the keys it replaced have spent. */
  readonly cap_spent: string | null;
  /** When the cap is new again; null where it never is. */
  readonly cap_renews_at: string | null;
  /** Shown this once. */
  readonly secret: string;
}

export interface MadeReset {
  readonly id: string;
  readonly email: string;
  /** What is lost. `second-factor` also takes the passkeys away, and asks for the password that is still known. */
  readonly resets: 'password' | 'second-factor' | 'both';
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
  /** The path to open, on any domain of the gateway. Shown this once. */
  readonly link: string;
  /** Whether a letter with the link is on its way; otherwise it has to be passed on. */
  readonly mailed: boolean;
}

export interface MadeToken {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'operator' | 'read-only' | 'account';
  /** Set for the role `account`. */
  readonly account_id: string | null;
  readonly display: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Up to a minute late; null if it was not used since this is kept. */
  readonly last_used_at: string | null;
  /** Shown this once. */
  readonly secret: string;
}

export interface MadeWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** What it is told of; null: all that concerns it. */
  readonly events: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** `failed`: switched off by the gateway, since nothing arrived for three days. */
  readonly status: 'on' | 'paused' | 'failed';
  /** `file`: the configuration file has it, and changes it. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Since when every attempt has failed. */
  readonly failing_since: string | null;
  /** Until when notices are signed with the secret before, too. */
  readonly old_secret_until: string | null;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
  /** Shown this once; notices are signed with it. */
  readonly secret: string;
}

export interface Mail {
  /** Whether the configuration file names a mail server. */
  readonly is_on: boolean;
  readonly host: string | null;
  readonly from: string | null;
  /** The last ones, newest first. What they say is not shown. */
  readonly letters: readonly MailLetter[];
}

export interface MailLetter {
  readonly id: string;
  readonly to: string;
  readonly state: 'waiting' | 'delivered' | 'given-up';
  readonly attempts: number;
  readonly next_at: string | null;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** What the mail server answered last, if it refused. */
  readonly status: number | null;
  readonly fault: 'status' | 'timeout' | 'unreachable' | 'address-refused' | 'no-secret' | 'too-many-waiting' | 'mail-refused' | null;
}

export interface MailTest {
  /** Whom it is for. */
  readonly to: string;
}

export interface MailTested {
  readonly mailed: boolean;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** `owner` does everything, `member` everything but this, `viewer` only looks. */
  readonly role: 'owner' | 'member' | 'viewer';
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
}

export interface MemberChange {
  /** `owner` does everything, `member` everything but this, `viewer` only looks. */
  readonly role: 'owner' | 'member' | 'viewer';
}

export interface MemberList {
  readonly data: readonly Member[];
}

export interface ModelPrices {
  /** A million tokens. */
  readonly input: string;
  /** A million tokens. */
  readonly cached_input: string;
  /** A million tokens. */
  readonly cache_write_5m: string;
  /** A million tokens. */
  readonly cache_write_1h: string;
  /** A million tokens. */
  readonly output: string;
  /** A thousand uses of tools that the provider runs itself, by their names; others are refused. */
  readonly provider_tools: Readonly<Record<string, string>>;
  /** One image, second, character or request, on the `endpoints`. */
  readonly units: Readonly<Record<string, string>>;
  readonly is_free: boolean;
}

export interface NewAccount {
  readonly name: string;
  /** What people call it, in any script. */
  readonly display_name?: string;
  /** What it may use. */
  readonly package?: string;
  /** Granted at once. */
  readonly credit?: string;
  /** By whose clocks its days begin; UTC if left out. */
  readonly time_zone?: string;
}

export interface NewCodeBatch {
  /** How many codes. */
  readonly count: number;
  /** What each of them brings: a decimal in quotes, more than nothing. */
  readonly amount: string;
  /** How the ledger calls it: `top_up` was paid for elsewhere, `grant` is a present and is spent first. */
  readonly kind?: 'top_up' | 'grant';
  /** How you will recognise it. */
  readonly note: string;
  /** Only there they can be redeemed. Anywhere if left out. */
  readonly site?: string;
  /** Only accounts of this package may redeem them. Any if left out. */
  readonly package?: string;
  /** From then on they are refused. Never if left out. */
  readonly expires_at?: string;
}

export interface NewInvitation {
  /** Whom the link is for. */
  readonly email: string;
  /** `owner` does everything, `member` everything but this, `viewer` only looks. */
  readonly role: 'owner' | 'member' | 'viewer';
}

export interface NewKey {
  /** Whose key it is: the id of an account. */
  readonly account: string;
  /** How you will recognise it. */
  readonly name: string;
  /** Ids, aliases or patterns; all that the account may use if left out. */
  readonly models?: readonly string[];
  /** When it ends by itself. */
  readonly expires_at?: string;
  /** What it may spend, in all or in each `cap_period`. */
  readonly spend_cap?: string;
  /** How often the cap is new: by the clocks of the account’s `time_zone`, weeks on Monday. Never if left out. */
  readonly cap_period?: 'day' | 'week' | 'month';
  /** How many of its requests are worked on at once, over all gateways; more wait for their turn. */
  readonly max_concurrency?: number;
  /** Addresses and ranges it may be used from; anywhere if left out. */
  readonly addresses?: readonly string[];
  /** Whether `stream: false` gets one JSON body on the chat surface. For clients that cannot read the stream that is the answer otherwise. */
  readonly honour_stream_false?: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while. Refused where `stored_bodies` of the configuration does not allow it; the account is told when it begins. */
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
  /** Surfaces that accept the model: `openai` is chat completions, `anthropic` is messages, `openai-response` is responses. A model can be offered on all of them, regardless of the format of its provider. The catalog lists the native one first and `openai` last. If left out, the model is on all of them, or on none if it has `endpoints`. */
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
    /** Who pays for answers that were discarded for a re-prompt: the account, together with the final answer, or the operator (`gateway`). */
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
  /** Each written as for `POST /admin/v1/models`. */
  readonly models: readonly (Readonly<Record<string, unknown>>)[];
}

export interface NewOperatorInvitation {
  /** Whom the link is for. */
  readonly email: string;
  readonly role: 'read-only' | 'operator' | 'owner';
}

export interface NewOwnKey {
  /** How you will recognise it. */
  readonly name: string;
  /** Ids, aliases or patterns; all that the account may use if left out. */
  readonly models?: readonly string[];
  /** When it ends by itself. */
  readonly expires_at?: string;
  /** What it may spend, in all or in each `cap_period`. */
  readonly spend_cap?: string;
  /** How often the cap is new: by the clocks of the account’s `time_zone`, weeks on Monday. Never if left out. */
  readonly cap_period?: 'day' | 'week' | 'month';
  /** How many of its requests are worked on at once, over all gateways; more wait for their turn. */
  readonly max_concurrency?: number;
  /** Addresses and ranges it may be used from; anywhere if left out. */
  readonly addresses?: readonly string[];
  /** Whether `stream: false` gets one JSON body on the chat surface. For clients that cannot read the stream that is the answer otherwise. */
  readonly honour_stream_false?: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while. Refused where `stored_bodies` of the configuration does not allow it; the account is told when it begins. */
  readonly store_bodies?: boolean;
}

export interface NewOwnWebhook {
  /** How you will recognise it. */
  readonly name: string;
  /** Where notices are sent, by POST. */
  readonly url: string;
  /** What it is told of; everything if left out. */
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
  /** What is lost. `second-factor` also takes the passkeys away, and asks for the password that is still known. */
  readonly resets: 'password' | 'second-factor' | 'both';
}

export interface NewSite {
  /** Its name in logs and commands. */
  readonly name: string;
  /** Request domains that select the site. An exact name takes precedence over the longest `*.suffix`, and that over `*`. */
  readonly domains: readonly string[];
  /** Models that exist on this site. */
  readonly models: readonly string[];
  /** Whether `stream: false` gets one JSON body here. By the contract, every answer is a stream. */
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
  /** How you will recognise it. */
  readonly name: string;
  readonly role: 'owner' | 'operator' | 'read-only' | 'account';
  /** With the role `account`: the id of the account. */
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
    /** How thinking and its effort are sent to the provider: `both` sends the contract’s `thinking` and `reasoning_effort`, `none` sends nothing, the others name the one field that is sent. */
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
  /** How you will recognise it. */
  readonly name: string;
  /** Where notices are sent, by POST. */
  readonly url: string;
  /** What it is told of; everything if left out. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[];
}

export interface OpenLink {
  readonly id: string;
  /** `reset`: a way back in for someone who lost theirs. */
  readonly kind: 'account' | 'operator' | 'reset';
  readonly email: string;
  /** What one becomes by following it; null for a reset. */
  readonly role: string | null;
  readonly resets: 'password' | 'second-factor' | 'both' | null;
  readonly account_id: string | null;
  /** The name of the account. */
  readonly account: string | null;
  readonly created_by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** ISO 8601, in UTC. */
  readonly expires_at: string;
}

export interface OpenLinkPage {
  readonly data: readonly OpenLink[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'read-only' | 'operator' | 'owner';
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
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
  /** False for a while after an upgrade, as long as older requests are still being added. */
  readonly is_complete: boolean;
  /** False where the clocks of the zone are not whole hours apart from UTC: days begin up to an hour late. */
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
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** What providers charge for it, as far as routes say their `cost`. */
    readonly provider_cost: string;
    /** What was charged for the requests whose provider’s cost is known. */
    readonly costed_spend: string;
    /** `costed_spend` less `provider_cost`. */
    readonly margin: string;
  };
  /** All together, for each point. */
  readonly series: readonly {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** What providers charge for it, as far as routes say their `cost`. */
    readonly provider_cost: string;
    /** What was charged for the requests whose provider’s cost is known. */
    readonly costed_spend: string;
    /** `costed_spend` less `provider_cost`. */
    readonly margin: string;
  }[];
  /** Together they are the totals. */
  readonly lines: readonly {
    /** `none`: requests that do not say it. `other`: all that has no line of its own. */
    readonly kind: 'value' | 'none' | 'other';
    /** Null unless `kind` is `value`. */
    readonly value: string | null;
    /** What people call it, where `value` is an id of something that still exists. */
    readonly name: string | null;
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** What providers charge for it, as far as routes say their `cost`. */
    readonly provider_cost: string;
    /** What was charged for the requests whose provider’s cost is known. */
    readonly costed_spend: string;
    /** `costed_spend` less `provider_cost`. */
    readonly margin: string;
    /** For each point; empty but for the first lines. */
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
  /** The beginning of the first hour that counts. */
  readonly since: string;
  /** The end of the last hour that counts. */
  readonly until: string;
  readonly interval: 'hour' | 'day';
  readonly currency: string;
  readonly totals: {
    /** What the ledger charged in this time. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens that came from a cache; they are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What prompt caches saved: what the same tokens would have cost without them, less what they cost. Less than zero where more was paid for writing to them than was spared by reading. */
    readonly cache_savings: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Requests that asked for one JSON body and got a stream. */
    readonly unwanted_streams: number;
  };
  /** A point for every interval, oldest first, also where nothing happened. Days are counted from `since`. */
  readonly series: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** What the ledger charged in this time. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens that came from a cache; they are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What prompt caches saved: what the same tokens would have cost without them, less what they cost. Less than zero where more was paid for writing to them than was spared by reading. */
    readonly cache_savings: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  readonly top_models: readonly {
    /** Empty: none we know. */
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
  /** Keys whose clients ask for one JSON body and get a stream. Those that cannot read it ask again, and each time is charged: set `honour_stream_false` on the key or the site, or have them ask for streams. */
  readonly keys_with_unwanted_streams: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly unwanted_streams: number;
    readonly requests: number;
    /** Whether it gets the one body by now. */
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
  /** By whose clocks its days, weeks and months begin from now on. */
  readonly time_zone?: string;
  /** What people call it, in any script; null: by its name. */
  readonly display_name?: string | null;
}

export interface OwnAttempt {
  /** `provider 1`, `provider 2`, … in the order they were asked. */
  readonly provider: string;
  /** How long it waited for its turn before it was sent. */
  readonly wait_ms: number;
  /** How long it paused before that, since the attempt before had failed. */
  readonly backoff_ms: number;
  /** How many waited before it when it came. */
  readonly position: number | null;
  /** Milliseconds since the request began. */
  readonly began_ms: number;
  /** Milliseconds since the request began. */
  readonly ended_ms: number;
  readonly first_event_ms: number | null;
  readonly status_class: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | null;
  /** Whether the answer came from here. */
  readonly is_answer: boolean;
}

export interface OwnKeyChange {
  /** How you will recognise it. */
  readonly name?: string;
  /** Null takes the limit away. */
  readonly models?: readonly string[] | null;
  /** Null: no cap, and none that renews. */
  readonly spend_cap?: string | null;
  /** Null: the cap is for all time. */
  readonly cap_period?: 'day' | 'week' | 'month' | null;
  /** Null: as many as come. */
  readonly max_concurrency?: number | null;
  /** Null: from anywhere. */
  readonly addresses?: readonly string[] | null;
  /** Null: never. */
  readonly expires_at?: string | null;
  /** Whether `stream: false` gets one JSON body on the chat surface. For clients that cannot read the stream that is the answer otherwise. */
  readonly honour_stream_false?: boolean;
  /** Whether the bodies of its requests and answers are stored, encrypted and for a while. Refused where `stored_bodies` of the configuration does not allow it; the account is told when it begins. */
  readonly store_bodies?: boolean;
}

export interface OwnModel {
  readonly id: string;
  readonly aliases: readonly string[];
  /** What it is good at; null: not said. */
  readonly description: string | null;
  readonly owned_by: string;
  /** `openai` is chat completions, `anthropic` is messages. */
  readonly surfaces: readonly string[];
  /** Endpoints that hand bodies on to it: `embeddings`, `rerank`, `moderations`, `images`, `speech`, `transcriptions`. */
  readonly endpoints: readonly string[];
  /** Tokens; null: not known. */
  readonly context_window: number | null;
  /** Tokens; null: not known. */
  readonly max_output_tokens: number | null;
  readonly thinking: boolean;
  readonly price: ModelPrices;
  /** The share of answers, from 0 to 1, whose stop sequences, caps, strict arguments, tool choices and JSON were as promised, in the last 30 days and over all accounts: rounded, and null where fewer than 10 were promised something. */
  readonly reliability: number | null;
  /** How it did in the last 24 hours, 7 days and 30 days, over the requests of all accounts: rounded, and null where there were fewer than 10 that tell. */
  readonly performance: OwnPerformance;
}

export interface OwnModels {
  /** The site that the domain selects; null if there is none, and then no models. */
  readonly site: string | null;
  readonly base_urls: BaseUrls;
  readonly data: readonly OwnModel[];
}

export interface OwnOverview {
  /** The beginning of the first hour that counts. */
  readonly since: string;
  /** The end of the last hour that counts. */
  readonly until: string;
  readonly interval: 'hour' | 'day';
  readonly currency: string;
  readonly totals: {
    /** What the ledger charged in this time. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens that came from a cache; they are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What prompt caches saved: what the same tokens would have cost without them, less what they cost. Less than zero where more was paid for writing to them than was spared by reading. */
    readonly cache_savings: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** Requests that asked for one JSON body and got a stream. */
    readonly unwanted_streams: number;
  };
  /** A point for every interval, oldest first, also where nothing happened. Days are counted from `since`. */
  readonly series: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    /** What the ledger charged in this time. */
    readonly spend: string;
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    /** Prompt tokens that came from a cache; they are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What prompt caches saved: what the same tokens would have cost without them, less what they cost. Less than zero where more was paid for writing to them than was spared by reading. */
    readonly cache_savings: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  readonly top_models: readonly {
    /** Empty: none we know. */
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
  /** Keys whose clients ask for one JSON body and get a stream. Those that cannot read it ask again, and each time is charged: set `honour_stream_false` on the key or the site, or have them ask for streams. */
  readonly keys_with_unwanted_streams: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly unwanted_streams: number;
    readonly requests: number;
    /** Whether it gets the one body by now. */
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
  /** The share that was answered, from 0 to 1, of what its provider could have answered. */
  readonly uptime: number | null;
  /** How long it took to the first token, on average. */
  readonly first_token_ms: number | null;
  /** How fast tokens came from the first one on, on average. */
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
  /** As the client wrote it. */
  readonly requested_model: string;
  /** The catalog id it led to. */
  readonly model: string | null;
  readonly status: number;
  readonly error_case: string | null;
  /** What the client was told beside the words of the case, such as the field that breaks a rule. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Where the tokens come from: the provider, or the gateway where the provider gave none. `estimated`: by the length of the text, since it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  readonly client_gone: boolean;
  /** Whether one JSON body was asked for: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream all the same. A client that cannot read it asks again, and each time is charged: set `honour_stream_false` on the key or the site, or ask for streams. */
  readonly unwanted_stream: boolean | null;
  /** What the key is called; null if it is gone. */
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
  /** The catalog id it led to. */
  readonly model: string | null;
  readonly status: number | null;
  readonly error_case: string | null;
  /** What the client was told beside the words of the case, such as the field that breaks a rule. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Where the tokens come from: the provider, or the gateway where the provider gave none. `estimated`: by the length of the text, since it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly client_gone: boolean | null;
  /** Whether one JSON body was asked for: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream all the same. A client that cannot read it asks again, and each time is charged: set `honour_stream_false` on the key or the site, or ask for streams. */
  readonly unwanted_stream: boolean | null;
  /** `recorded` is the usual one; `explanation` says what the others mean. */
  readonly state: 'recorded' | 'recovered' | 'charged' | 'open';
  readonly explanation: string;
  /** Whether an error came after the status was out, as a frame. */
  readonly ended_in_frame: boolean | null;
  /** How many waited before it when it came. */
  readonly queue_position: number | null;
  readonly cache_write_5m_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  /** The request whose answer this retry was given, at no cost. */
  readonly replay_of: string | null;
  /** How the cost comes about. */
  readonly cost_lines: readonly CostLine[];
  /** What tools cost that the provider ran itself, such as web searches. */
  readonly tool_lines: readonly {
    /** The name of a tool, or `unit:` and what was counted instead of tokens. */
    readonly tool: string;
    readonly uses: number;
    /** A decimal in the currency of the gateway. */
    readonly per_thousand: string;
    /** Uses times price, a part of the cost like the other lines. */
    readonly amount: string;
  }[];
  readonly ledger: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    readonly kind: string;
    /** What was spent is negative. */
    readonly amount: string;
    /** `recovery` charges what a process that died left behind. */
    readonly by: string;
    readonly reason: string;
    readonly price_version: string | null;
  }[];
  /** The stored bodies of the request; null where there are none. */
  readonly bodies: {
    /** `dropped`: the key asks for them to be stored, and there was no room at that moment. `gone`: they were to be stored, and are not there: they were deleted, made room for newer ones or are too old, the key stopped storing, or the process ended before they were written. */
    readonly state: 'stored' | 'dropped' | 'gone';
    /** How long it was, in bytes. */
    readonly request_bytes: number | null;
    /** How long it was, in bytes. */
    readonly answer_bytes: number | null;
    /** When they are deleted by themselves. */
    readonly deleted_at: string | null;
    /** Whether you may read them: owners of the account and who made the key may. */
    readonly readable: boolean;
  } | null;
  /** What the key is called; null if it is gone. */
  readonly key_name: string | null;
  /** Each time a provider was asked. */
  readonly trail: readonly OwnAttempt[];
}

export interface OwnRequestPage {
  readonly data: readonly OwnRequest[];
  /** Send it as `cursor` for the next page; null on the last one. A page may have fewer rows than `limit`, or none, and still be followed by others. */
  readonly next: string | null;
  /** Requests beyond this time were not looked at for this page, for no more than 20000 are; null where that does not matter. */
  readonly searched_to: string | null;
}

export type OwnRequestTable = string;

export interface OwnWebhookChange {
  /** How you will recognise it. */
  readonly name?: string;
  readonly url?: string;
  /** Null: everything. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off')[] | null;
  /** Whether it is told anything; one that was switched off is tried anew. */
  readonly is_on?: boolean;
}

export interface Payment {
  /** The reference of what it brings, in your ledger. */
  readonly id: string;
  /** A decimal in the currency of the gateway. */
  readonly amount: string;
  readonly currency: string;
  /** `ended`: nothing was paid, and nothing will be. */
  readonly state: 'open' | 'paid' | 'ended';
  /** How much of it went back to whoever paid. */
  readonly refunded: string;
  readonly by: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  readonly paid_at: string | null;
}

export interface Payments {
  /** Whether one can pay here at all. */
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
  /** The share that was answered, from 0 to 1, of what its provider could have answered. */
  readonly uptime: number | null;
  /** How long it took to the first token, on average. */
  readonly first_token_ms: number | null;
  /** How fast tokens came from the first one on, on average. */
  readonly tokens_per_second: number | null;
  readonly answered: number;
  /** Came to nothing because of the provider. What a client did, or cannot pay, is not counted. */
  readonly failed: number;
  /** Answers that `first_token_ms` is the average of. */
  readonly timed: number;
  /** Answers that `tokens_per_second` is the average of. */
  readonly paced: number;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Whether a code is asked for after the password. */
  readonly two_factor: boolean;
  readonly operator: 'read-only' | 'operator' | 'owner' | null;
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: 'owner' | 'member' | 'viewer';
  }[];
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
}

export interface PersonChange {
  readonly name: string;
}

export interface PersonPage {
  readonly data: readonly Person[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface PlaceHolder {
  /** A name that no other process has or had. */
  readonly process: string;
  readonly host: string;
  readonly pid: number;
  /** Which of the workers of its machine it is; null where there are none. */
  readonly worker: number | null;
  /** Answers that it may run at once here. */
  readonly lease: number;
  readonly running: number;
  readonly waiting: number;
  /** How much earlier than the last of them it was heard of. Beyond a few seconds it stands still, or is gone. */
  readonly heartbeat_age_ms: number;
}

export interface Preset {
  /** What an upstream writes as `kind`. */
  readonly name: string;
  readonly title: string;
  /** Where its API lives; with capitals where the address depends on the customer. */
  readonly base_url: string;
  /** Variables that may hold its credential, the usual one first. */
  readonly environment: readonly string[];
  /** Fields it takes besides those of all upstreams. */
  readonly fields: readonly string[];
  /** How to write what it cannot do without. */
  readonly needs: readonly string[];
  readonly note: string | null;
}

export interface Presets {
  readonly data: readonly Preset[];
}

export interface Redeemed {
  /** The reference of the movement in your ledger. */
  readonly id: string;
  /** What it brought. */
  readonly amount: string;
  readonly kind: 'top_up' | 'grant';
  /** What you have now. */
  readonly balance: Balance;
}

export interface Redemption {
  /** As it was given to you; case, spaces and dashes do not matter. */
  readonly code: string;
}

export interface RedemptionCode {
  /** The reference of what it brought, in the ledger. */
  readonly id: string;
  /** The first and last characters of the code. */
  readonly display: string;
  readonly state: 'open' | 'redeemed' | 'withdrawn';
  readonly redeemed_at: string | null;
  readonly account_id: string | null;
  readonly account_name: string | null;
  readonly redeemed_by: string | null;
}

export interface RedemptionCodePage {
  readonly data: readonly RedemptionCode[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface Replica {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  /** By the database's clock; a process says every 5 seconds that it lives. */
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
  /** As the client wrote it. */
  readonly requested_model: string;
  /** The catalog id it led to. */
  readonly model: string | null;
  readonly status: number;
  readonly error_case: string | null;
  /** What the client was told beside the words of the case, such as the field that breaks a rule. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Where the tokens come from: the provider, or the gateway where the provider gave none. `estimated`: by the length of the text, since it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  readonly client_gone: boolean;
  /** Whether one JSON body was asked for: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream all the same. A client that cannot read it asks again, and each time is charged: set `honour_stream_false` on the key or the site, or ask for streams. */
  readonly unwanted_stream: boolean | null;
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempts: number;
  readonly notes: readonly string[];
  readonly account_name: string | null;
  /** What the key is called; null if it is gone. */
  readonly key_name: string | null;
}

export interface RequestBodies {
  /** As the client sent it; null if nothing came. */
  readonly request: RequestBody | null;
  /** As the client got it; null if nothing went out. */
  readonly answer: RequestBody | null;
  /** ISO 8601, in UTC. */
  readonly stored_at: string;
  /** When they are deleted by themselves. */
  readonly deleted_at: string;
}

export interface RequestBody {
  /** Null if it is no text. */
  readonly text: string | null;
  /** Its bytes, if it is no text. */
  readonly base64: string | null;
  /** How long it was. */
  readonly bytes: number;
  /** Whether only its beginning was stored. */
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
  /** The catalog id it led to. */
  readonly model: string | null;
  readonly status: number | null;
  readonly error_case: string | null;
  /** What the client was told beside the words of the case, such as the field that breaks a rule. */
  readonly error_detail: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Where the tokens come from: the provider, or the gateway where the provider gave none. `estimated`: by the length of the text, since it could not be counted. */
  readonly usage_source: 'upstream' | 'counted' | 'estimated' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly client_gone: boolean | null;
  /** Whether one JSON body was asked for: `stream` was not `true`. */
  readonly requested_whole: boolean | null;
  /** Whether it got a stream all the same. A client that cannot read it asks again, and each time is charged: set `honour_stream_false` on the key or the site, or ask for streams. */
  readonly unwanted_stream: boolean | null;
  /** `recorded` is the usual one; `explanation` says what the others mean. */
  readonly state: 'recorded' | 'recovered' | 'charged' | 'open';
  readonly explanation: string;
  /** Whether an error came after the status was out, as a frame. */
  readonly ended_in_frame: boolean | null;
  /** How many waited before it when it came. */
  readonly queue_position: number | null;
  readonly cache_write_5m_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  /** The request whose answer this retry was given, at no cost. */
  readonly replay_of: string | null;
  /** How the cost comes about. */
  readonly cost_lines: readonly CostLine[];
  /** What tools cost that the provider ran itself, such as web searches. */
  readonly tool_lines: readonly {
    /** The name of a tool, or `unit:` and what was counted instead of tokens. */
    readonly tool: string;
    readonly uses: number;
    /** A decimal in the currency of the gateway. */
    readonly per_thousand: string;
    /** Uses times price, a part of the cost like the other lines. */
    readonly amount: string;
  }[];
  readonly ledger: readonly {
    /** ISO 8601, in UTC. */
    readonly at: string;
    readonly kind: string;
    /** What was spent is negative. */
    readonly amount: string;
    /** `recovery` charges what a process that died left behind. */
    readonly by: string;
    readonly reason: string;
    readonly price_version: string | null;
  }[];
  /** The stored bodies of the request; null where there are none. */
  readonly bodies: {
    /** `dropped`: the key asks for them to be stored, and there was no room at that moment. `gone`: they were to be stored, and are not there: they were deleted, made room for newer ones or are too old, the key stopped storing, or the process ended before they were written. */
    readonly state: 'stored' | 'dropped' | 'gone';
    /** How long it was, in bytes. */
    readonly request_bytes: number | null;
    /** How long it was, in bytes. */
    readonly answer_bytes: number | null;
    /** When they are deleted by themselves. */
    readonly deleted_at: string | null;
    /** Whether you may read them: owners of the account and who made the key may. */
    readonly readable: boolean;
  } | null;
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempts: number | null;
  readonly notes: readonly string[];
  /** What happened at each upstream. */
  readonly trail: readonly Attempt[];
  readonly account_name: string | null;
  /** What the key is called; null if it is gone. */
  readonly key_name: string | null;
}

export interface RequestPage {
  readonly data: readonly Request[];
  /** Send it as `cursor` for the next page; null on the last one. A page may have fewer rows than `limit`, or none, and still be followed by others. */
  readonly next: string | null;
  /** Requests beyond this time were not looked at for this page, for no more than 20000 are; null where that does not matter. */
  readonly searched_to: string | null;
}

export type RequestTable = string;

export interface Resource {
  readonly kind: 'upstream' | 'model' | 'package' | 'site';
  readonly name: string;
  /** `file`: the configuration file owns it, and only the file changes it. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly updated_at: string;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
  /** As the configuration file would say it, without secrets. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Fields that hold a secret. They can be set and are never shown. */
  readonly secrets: readonly string[];
}

export interface ResourcePage {
  readonly data: readonly Resource[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface SecretOverlap {
  /** How long both secrets sign: `now`, or such as 24h. */
  readonly overlap: string;
}

export interface SlicedUsage {
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly interval: 'hour' | 'day' | 'month';
  readonly zone: string;
  readonly currency: string;
  /** False for a while after an upgrade, as long as older requests are still being added. */
  readonly is_complete: boolean;
  /** False where the clocks of the zone are not whole hours apart from UTC: days begin up to an hour late. */
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
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  };
  /** All together, for each point. */
  readonly series: readonly {
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
  }[];
  /** Together they are the totals. */
  readonly lines: readonly {
    /** `none`: requests that do not say it. `other`: all that has no line of its own. */
    readonly kind: 'value' | 'none' | 'other';
    /** Null unless `kind` is `value`. */
    readonly value: string | null;
    /** What people call it, where `value` is an id of something that still exists. */
    readonly name: string | null;
    readonly requests: number;
    readonly errors: number;
    /** Requests whose client left before the end. */
    readonly client_gone: number;
    readonly prompt_tokens: number;
    /** They are among `prompt_tokens`. */
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    /** They are among `completion_tokens`. */
    readonly reasoning_tokens: number;
    /** What was charged for the requests that began in this time. */
    readonly spend: string;
    /** Time waited for a turn, over all requests. */
    readonly mean_wait_ms: number | null;
    /** Time to the first byte, over the requests that got one. */
    readonly mean_first_byte_ms: number | null;
    /** For each point; empty but for the first lines. */
    readonly series: readonly {
      /** A decimal in the currency of the gateway. */
      readonly spend: string;
      readonly requests: number;
      readonly errors: number;
    }[];
  }[];
}

export interface Statement {
  /** As `2026-03`. */
  readonly month: string;
  /** By whose clocks it ends: those of the account, as they were when it was closed. */
  readonly time_zone: string;
  /** Where the month before ended. */
  readonly starts_at: string;
  /** ISO 8601, in UTC. */
  readonly ends_at: string;
  /** Nothing of it changes any more: what is booked later belongs to a later month. */
  readonly is_closed: boolean;
  readonly currency: string;
  /** The balance when it began. */
  readonly opening: string;
  /** A decimal in the currency of the gateway. */
  readonly top_ups: string;
  /** A decimal in the currency of the gateway. */
  readonly grants: string;
  /** A decimal in the currency of the gateway. */
  readonly refunds: string;
  /** A decimal in the currency of the gateway. */
  readonly adjustments: string;
  /** What went back to whoever had paid it in; negative. */
  readonly reversals: string;
  /** What was spent is negative. */
  readonly charges: string;
  /** The balance when it ended, or now. */
  readonly closing: string;
  /** The charges by model, the largest first. They add up to `charges`. */
  readonly models: readonly {
    /** Null: what belongs to no model that is known, or to more models than are listed. */
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
  /** The request or the credit it belongs to. */
  readonly reference: string;
  /** The key whose request was charged. */
  readonly key_id: string | null;
  /** What was spent is negative. */
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
  /** What the key is called; null if it is gone. */
  readonly key_name: string | null;
  /** What the account had behind this line. */
  readonly balance: string;
}

export interface StatementLinePage {
  readonly data: readonly StatementLine[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface StatementSummary {
  /** As `2026-03`. */
  readonly month: string;
  /** By whose clocks it ends: those of the account, as they were when it was closed. */
  readonly time_zone: string;
  /** Where the month before ended. */
  readonly starts_at: string;
  /** ISO 8601, in UTC. */
  readonly ends_at: string;
  /** Nothing of it changes any more: what is booked later belongs to a later month. */
  readonly is_closed: boolean;
  readonly currency: string;
  /** The balance when it began. */
  readonly opening: string;
  /** A decimal in the currency of the gateway. */
  readonly top_ups: string;
  /** A decimal in the currency of the gateway. */
  readonly grants: string;
  /** A decimal in the currency of the gateway. */
  readonly refunds: string;
  /** A decimal in the currency of the gateway. */
  readonly adjustments: string;
  /** What went back to whoever had paid it in; negative. */
  readonly reversals: string;
  /** What was spent is negative. */
  readonly charges: string;
  /** The balance when it ended, or now. */
  readonly closing: string;
}

export type StatementTable = string;

export interface Statements {
  readonly data: readonly StatementSummary[];
}

export interface StoredBodies {
  /** Whether keys may have bodies stored here. */
  readonly allowed: boolean;
  /** How long they are kept. */
  readonly keep_seconds: number | null;
  /** How much is kept of each body. */
  readonly max_bytes: number | null;
  /** Of how many requests there are some now. */
  readonly requests: number;
  /** What they take in the store. */
  readonly bytes: number;
}

export interface System {
  /** The value of `x-gateway-version`. */
  readonly version: string;
  /** When this build was made. */
  readonly build: string;
  /** What keeps the data. */
  readonly engine: 'sqlite' | 'postgres';
  /** The last migration of the store. */
  readonly schema_version: string;
  readonly currency: string;
  /** Who answers. */
  readonly process: {
    readonly id: string;
    /** ISO 8601, in UTC. */
    readonly started_at: string;
    readonly uptime_s: number;
  };
  /** The processes on this store, oldest first. */
  readonly replicas: readonly Replica[];
  /** Responses that clients may refer to later: how many and how large, never what is in them. */
  readonly kept_responses: KeptResponses;
  /** Charges that could not be booked, as `charge.refused` told of them: the first of a day for each account, newest first, at most ten. */
  readonly dead_letter_charges: readonly DeadLetterCharge[];
  readonly config: {
    /** The configuration file, without its folder; null: it runs on defaults. */
    readonly file: string | null;
    /** What only the file can change. */
    readonly owned: readonly {
      readonly kind: 'upstream' | 'model' | 'package' | 'site';
      readonly name: string;
    }[];
    /** Where the store says something else than the file of this process; another may run by another file. */
    readonly drift: readonly Drift[];
    /** Stored entries that are left out, and why. */
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
  /** Up to a minute late; null if it was not used since this is kept. */
  readonly last_used_at: string | null;
}

export interface TokenPage {
  readonly data: readonly Token[];
  /** Send it as `cursor` for the next page; null on the last one. */
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
    /** Requests waiting for a place. */
    readonly waiting: number;
    /** Answers that may run at once. */
    readonly limit: number;
    readonly credentials: readonly CredentialHealth[];
    /** Who has what of it; empty where one process has all. */
    readonly processes: readonly PlaceHolder[];
  }[];
  /** Tries beyond the first that are under way, and how many may be. */
  readonly retries: {
    readonly in_use: number;
    readonly limit: number;
  };
}

export interface UpstreamKeys {
  /** The new credentials, or references such as `${NAME}` to the environment of the gateway. */
  readonly api_keys: readonly string[];
}

export interface UpstreamTest {
  readonly ok: boolean;
  /** What the provider was asked for. */
  readonly asked: 'model_list' | 'answer' | 'nothing';
  /** What it answered with; null: nothing. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** Chat models that it lists, at most 1000. */
  readonly models: readonly string[];
  /** What the table that comes with the gateway says of them: suggestions. */
  readonly known: readonly KnownModel[];
  /** What is wrong and what to do, without secrets. */
  readonly error: string | null;
}

export interface Usage {
  /** ISO 8601, in UTC. */
  readonly since: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly data: readonly {
    /** A catalog id or the id of a key; empty for requests that named no model there is. */
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

export type UsageTable = string;

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** What it is told of; null: all that concerns it. */
  readonly events: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** `failed`: switched off by the gateway, since nothing arrived for three days. */
  readonly status: 'on' | 'paused' | 'failed';
  /** `file`: the configuration file has it, and changes it. */
  readonly source: 'file' | 'store';
  /** ISO 8601, in UTC. */
  readonly created_at: string;
  /** Since when every attempt has failed. */
  readonly failing_since: string | null;
  /** Until when notices are signed with the secret before, too. */
  readonly old_secret_until: string | null;
  /** Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then. */
  readonly version: string;
}

export interface WebhookChange {
  /** How you will recognise it. */
  readonly name?: string;
  readonly url?: string;
  /** Null: everything. */
  readonly events?: readonly ('balance.low' | 'balance.used_up' | 'credit.added' | 'key.created' | 'key.revoked' | 'key.cap_reached' | 'key.stores_bodies' | 'webhook.switched_off' | 'upstream.down' | 'upstream.up' | 'credential.refused' | 'charge.refused')[] | null;
  /** Whether it is told anything; one that was switched off is tried anew. */
  readonly is_on?: boolean;
}

export interface WebhookList {
  readonly data: readonly Webhook[];
}
