import type { ConstraintName } from 'chat-formats/chat/guarantee.ts';
import type { Source, TableBounds } from './columns.ts';

/** Configured resources, and statistics of models. */
export interface CatalogTables {
  resources: {
    kind: 'upstream' | 'model' | 'package' | 'site';
    name: string;
    source: Source;
    /** JSON in the format of the configuration file. */
    spec: string;
    position: number;
    updated_at: number;
  };
  /** Running totals of a model's tool calls. */
  model_calls: { model: string; seen: number; parsed: number; repaired: number; failed: number };
  /** Results of an enforced constraint in the answers of a model, per day. */
  constraint_results: {
    model: string;
    constraint_name: ConstraintName;
    day: number;
    met: number;
    repaired: number;
    reprompted: number;
    violated: number;
  };
  /** Performance of a model or a route in one hour or day. */
  performance_sums: {
    grain: 'hour' | 'day';
    start: number;
    /** Empty for a catalog model, over all its routes. */
    upstream: string;
    model: string;
    answered: number;
    failed: number;
    timed: number;
    first_token_ms: number;
    paced: number;
    tokens: number;
    generation_ms: number;
  };
}

export const catalogBounds: TableBounds<CatalogTables> = {
  resources: { reason: 'rows of the operator' },
  model_calls: { reason: 'one row per model of the operator' },
  constraint_results: { reason: 'one row per model, constraint and day' },
  performance_sums: { reason: 'one row per route and hour or day' },
};
