import type { SchemaStatement } from './schema-statement.ts';

/** Configured resources, and statistics of models. */
export const catalogTables: readonly SchemaStatement[] = [
  `create table resources (
    kind text not null,
    name text not null,
    source text not null,
    spec text not null,
    position integer not null,
    updated_at bigint not null,
    constraint resources_pk primary key (kind, name)
  )`,
  `create table model_calls (
    model text not null primary key,
    seen bigint not null,
    parsed bigint not null,
    repaired bigint not null,
    failed bigint not null
  )`,
  `create table constraint_results (
    model text not null,
    constraint_name text not null,
    day bigint not null,
    met bigint not null,
    repaired bigint not null,
    reprompted bigint not null,
    violated bigint not null,
    constraint constraint_results_pk primary key (model, constraint_name, day)
  )`,
  'create index constraint_results_by_day on constraint_results (day)',
  `create table performance_sums (
    grain text not null,
    start bigint not null,
    upstream text not null,
    model text not null,
    answered bigint not null,
    failed bigint not null,
    timed bigint not null,
    first_token_ms bigint not null,
    paced bigint not null,
    tokens bigint not null,
    generation_ms bigint not null,
    constraint performance_sums_pk primary key (grain, start, upstream, model)
  )`,
];
