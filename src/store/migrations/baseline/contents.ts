import type { SchemaStatement } from './schema-statement.ts';

/** Encrypted contents: responses that later requests may refer to, and bodies of keys that opt in. */
export const contentTables: readonly SchemaStatement[] = [
  `create table kept_responses (
    id text not null primary key,
    account_id text not null,
    model text not null,
    previous_id text,
    created_at bigint not null,
    bytes bigint not null,
    sealed text not null
  )`,
  'create index kept_responses_by_account on kept_responses (account_id, created_at)',
  'create index kept_responses_by_age on kept_responses (created_at)',
  `create table kept_items (
    account_id text not null,
    item_id text not null,
    response_id text not null,
    constraint kept_items_pk primary key (account_id, item_id)
  )`,
  'create index kept_items_by_response on kept_items (response_id)',
  `create table kept_sums (
    account_id text not null primary key,
    responses bigint not null,
    bytes bigint not null
  )`,
  `create table stored_bodies (
    request_id text not null primary key,
    account_id text not null,
    key_id text not null,
    stored_at bigint not null,
    request_bytes bigint not null,
    answer_bytes bigint not null,
    bytes bigint not null,
    sealed text not null
  )`,
  'create index stored_bodies_by_age on stored_bodies (stored_at)',
  'create index stored_bodies_by_key on stored_bodies (key_id, stored_at)',
  'create index stored_bodies_by_account on stored_bodies (account_id, stored_at)',
  `create table stored_body_sums (
    account_id text not null primary key,
    requests bigint not null,
    bytes bigint not null
  )`,
  'create table deleted_bodies (subject text not null primary key, deleted_at bigint not null)',
];
