import type { CredentialHealth } from './documents.ts';

export type HealthName = CredentialHealth['state'];

/** What one account has running and waiting. */
export interface LiveAccount {
  readonly id: string;
  readonly name: string | null;
  readonly running: number;
  readonly waiting: number;
}

export interface LiveQueue {
  readonly name: string;
  readonly state: HealthName;
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  readonly paused_until: string | null;
  /** 1 is even; null while there are not two who wait. */
  readonly fairness: number | null;
  readonly accounts: readonly LiveAccount[];
}

/** What the process that answers is doing at one moment. */
export interface Live {
  readonly at: string;
  readonly process: { readonly id: string; readonly started_at: string };
  readonly totals: {
    readonly requests: number;
    readonly running: number;
    readonly waiting: number;
    readonly retries: number;
    readonly retries_limit: number;
  };
  /** Each a second, over the last minute. */
  readonly rates: {
    readonly requests: number;
    readonly errors: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  };
  readonly upstreams: readonly LiveQueue[];
  readonly accounts: readonly LiveAccount[];
}

/** A provider that is known by name. */
export interface Preset {
  readonly name: string;
  readonly title: string;
  /** With words in capitals where it depends on the customer. */
  readonly base_url: string;
  /** Variables that may hold the credential; none where it needs none. */
  readonly environment: readonly string[];
  readonly fields: readonly string[];
  readonly needs: readonly string[];
  readonly note: string | null;
}

export interface UpstreamTest {
  readonly ok: boolean;
  readonly asked: 'model_list' | 'answer' | 'nothing';
  readonly status: number | null;
  readonly duration_ms: number;
  readonly models: readonly string[];
  readonly error: string | null;
}

/** An upstream as the configuration says it, without its secrets; what is left out has its default. */
export interface UpstreamSpec {
  readonly name: string;
  readonly kind: string;
  readonly enabled?: boolean;
  readonly base_url?: string;
  readonly max_concurrency?: number;
  readonly timeouts?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface RouteSpec {
  readonly upstream: string;
  readonly model?: string;
  readonly priority?: number;
  readonly weight?: number;
}

export interface PriceSpec {
  readonly input: string;
  readonly output: string;
  readonly cached_input?: string;
  readonly cache_write_5m?: string;
  readonly cache_write_1h?: string;
}

/** A model as the configuration says it; what is left out has its default. */
export interface ModelSpec {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly owned_by?: string;
  readonly surfaces?: readonly string[];
  readonly context_window?: number;
  readonly max_output_tokens?: number;
  readonly thinking?: boolean;
  readonly thinks_first?: boolean;
  readonly tool_format?: string;
  readonly repair_arguments?: boolean;
  readonly untranslatable?: 'hints' | 'refuse' | 'drop';
  readonly continue?: 'never' | 'prefill';
  readonly routes: readonly RouteSpec[];
  readonly price: 'free' | PriceSpec;
}

/** How well a model has called tools so far. */
export interface ToolCalls {
  readonly seen: number;
  readonly parsed: number;
  readonly repaired: number;
  readonly failed: number;
}

/** A model in use, with its routes and how they are. */
export interface CatalogModel {
  readonly id: string;
  readonly tool_calls: ToolCalls | null;
  readonly routes: readonly {
    readonly upstream: string;
    readonly model: string;
    readonly priority: number;
    readonly weight: number;
    readonly state: HealthName | null;
  }[];
}

/** The catalog as one key sees it on one domain. */
export interface CatalogView {
  readonly site: string | null;
  readonly key_state: 'active' | 'expired' | 'revoked' | 'suspended';
  readonly models: readonly {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly owned_by: string;
    readonly surfaces: readonly string[];
    readonly tool_calls: ToolCalls | null;
  }[];
}
