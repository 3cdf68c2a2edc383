/** One page of a list; `next` is the cursor of the following one. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

export type Source = 'file' | 'store';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  readonly status: 'active' | 'suspended';
  readonly source: Source;
  readonly created_at: string;
}

export interface Balance {
  readonly currency: string;
  readonly total: string;
  readonly granted: string;
  readonly topped_up: string;
  readonly reserved: string;
}

export interface LedgerLine {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly reference: string;
  /** The key whose request was charged. */
  readonly key_id: string | null;
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
}

export interface Key {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly display: string;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly models: readonly string[] | null;
  readonly spend_cap: string | null;
  /** What its requests were charged so far. */
  readonly spent: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

/** A key as it is shown once, with its secret. */
export interface MadeKey extends Key {
  readonly secret: string;
}

export interface NewKey {
  readonly name: string;
  readonly models?: readonly string[];
  readonly expires_at?: string;
  readonly spend_cap?: string;
}

/** What an account sees of a request. */
export interface RequestRow {
  readonly id: string;
  readonly started_at: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly user_id: string | null;
  readonly site: string;
  readonly surface: string;
  readonly asked_model: string;
  readonly model: string | null;
  readonly status: number;
  readonly error_case: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly usage_source: 'upstream' | 'counted' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  readonly client_gone: boolean;
}

/** What an operator sees of it besides. */
export interface OperatorRequestRow extends RequestRow {
  readonly upstream: string | null;
  readonly upstream_model: string | null;
  readonly attempts: number;
  readonly notes: readonly string[];
}

export interface CostLine {
  readonly kind: 'input' | 'cached_input' | 'cache_write_5m' | 'cache_write_1h' | 'output';
  readonly tokens: number;
  readonly per_million: string;
  readonly amount: string;
}

/** One try at a provider, as the account sees it. */
export interface TrailStep {
  readonly provider: string;
  readonly wait_ms: number;
  readonly position: number | null;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly first_event_ms: number | null;
  readonly status_class: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | null;
  readonly is_answer: boolean;
}

type Movement = Pick<LedgerLine, 'at' | 'kind' | 'amount' | 'by' | 'reason' | 'price_version'>;

/** The life of one request. What is null was not known, as for one that still runs. */
export interface RequestStory {
  readonly id: string;
  readonly started_at: string | null;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly user_id: string | null;
  readonly site: string | null;
  readonly surface: string | null;
  readonly asked_model: string | null;
  readonly model: string | null;
  readonly status: number | null;
  readonly error_case: string | null;
  readonly finish: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly usage_source: 'upstream' | 'counted' | null;
  readonly cost: string | null;
  readonly price_version: string | null;
  readonly wait_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly client_gone: boolean | null;
  readonly state: 'recorded' | 'recovered' | 'charged' | 'open';
  readonly explanation: string;
  readonly ended_in_frame: boolean | null;
  readonly queue_position: number | null;
  readonly cache_write_5m_tokens: number | null;
  readonly cache_write_1h_tokens: number | null;
  readonly replay_of: string | null;
  readonly cost_lines: readonly CostLine[];
  readonly ledger: readonly Movement[];
  readonly trail: readonly TrailStep[];
}

/** An entry of the configuration: an upstream, a model, a package or a site. */
export interface Resource<Spec = Readonly<Record<string, unknown>>> {
  readonly kind: 'upstream' | 'model' | 'package' | 'site';
  readonly name: string;
  readonly source: Source;
  readonly updated_at: string;
  readonly spec: Spec;
  /** The fields of the spec that hold a secret, which is never shown. */
  readonly secrets: readonly string[];
}

export interface UpstreamHealth {
  readonly upstreams: readonly {
    readonly name: string;
    readonly running: number;
    readonly waiting: number;
    readonly limit: number;
    readonly credentials: readonly CredentialHealth[];
  }[];
  readonly retries: { readonly in_use: number; readonly limit: number };
}

export interface CredentialHealth {
  readonly index: number;
  readonly state: 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';
  readonly out_until: string | null;
  readonly paused_until: string | null;
  readonly running: number;
  readonly latency_ms: number | null;
  readonly consecutive_failures: number;
  readonly last_error: string | null;
  readonly last_error_at: string | null;
}

export interface AuditLine {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string | null;
}
