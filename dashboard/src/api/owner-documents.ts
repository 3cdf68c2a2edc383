/** What was used and spent in some time. */
interface Figures {
  readonly spend: string;
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

interface TimedFigures extends Figures {
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly mean_wait_ms: number | null;
  readonly mean_first_byte_ms: number | null;
}

/** An account over a span of time. */
export interface Overview {
  readonly since: string;
  readonly until: string;
  readonly interval: 'hour' | 'day';
  readonly currency: string;
  readonly totals: TimedFigures;
  readonly series: readonly (TimedFigures & { readonly at: string })[];
  readonly top_models: readonly (Figures & { readonly model: string })[];
  readonly top_keys: readonly (Figures & { readonly id: string; readonly name: string | null })[];
  readonly errors_by_case: readonly {
    readonly error_case: string;
    readonly status: number | null;
    readonly requests: number;
  }[];
}

/** A model as those see it who may call it. Prices are for a million tokens. */
export interface CallableModel {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly owned_by: string;
  /** `openai` is chat completions, `anthropic` is messages. */
  readonly surfaces: readonly string[];
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly thinking: boolean;
  readonly price: {
    readonly input: string;
    readonly cached_input: string;
    readonly cache_write_5m: string;
    readonly cache_write_1h: string;
    readonly output: string;
    readonly is_free: boolean;
  };
}

export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
}

/** What the account can call on this domain. */
export interface CallableModels {
  readonly site: string | null;
  readonly base_urls: BaseUrls;
  readonly data: readonly CallableModel[];
}
