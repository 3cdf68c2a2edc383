import type { ConstraintName } from '../../core/guarantee.ts';
import type { Source } from './columns.ts';

/** What the configuration names, and figures kept of models. */
export interface CatalogTables {
  resources: ResourcesTable;
  model_calls: ModelCallsTable;
  model_promises: ModelPromisesTable;
  performance_sums: PerformanceSumsTable;
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

/** How well a model calls tools, ever since it was first counted. */
interface ModelCallsTable {
  model: string;
  seen: number;
  parsed: number;
  repaired: number;
  failed: number;
}

/** What became of a promise in the answers of a model on one day. */
interface ModelPromisesTable {
  model: string;
  promise: ConstraintName;
  day: number;
  kept: number;
  mended: number;
  asked_again: number;
  missed: number;
}

/** How a model or a route did within an hour or a day. */
interface PerformanceSumsTable {
  grain: 'hour' | 'day';
  start: number;
  /** Empty for a model of the catalog, over all its routes. */
  upstream: string;
  model: string;
  answered: number;
  failed: number;
  timed: number;
  first_token_ms: number;
  paced: number;
  tokens: number;
  generation_ms: number;
}
