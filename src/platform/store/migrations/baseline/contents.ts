import type { SchemaStatement } from './schema-statement.ts';

/** Encrypted contents: responses that later requests may refer to, bodies of keys that opt in, and files. */
export const contentTables: readonly SchemaStatement[] = [
  `create table sealed_blobs (
    kind text not null,
    id text not null,
    account_id text not null,
    created_at bigint not null,
    bytes bigint not null,
    previous_id text,
    key_id text,
    request_bytes bigint,
    answer_bytes bigint,
    sealed text not null,
    constraint sealed_blobs_pk primary key (kind, id)
  )`,
  'create index sealed_blobs_by_account on sealed_blobs (kind, account_id, created_at)',
  'create index sealed_blobs_by_age on sealed_blobs (kind, created_at)',
  'create index sealed_blobs_by_key on sealed_blobs (kind, key_id, created_at) where key_id is not null',
  `create table blob_sums (
    kind text not null,
    account_id text not null,
    blobs bigint not null,
    bytes bigint not null,
    constraint blob_sums_pk primary key (kind, account_id)
  )`,
  `create table stored_items (
    account_id text not null,
    item_id text not null,
    response_id text not null,
    constraint stored_items_pk primary key (account_id, item_id)
  )`,
  'create index stored_items_by_response on stored_items (response_id)',
  `create table provider_things (
    account_id text not null,
    id text not null,
    upstream text not null,
    credential integer not null,
    received_at bigint not null,
    constraint provider_things_pk primary key (account_id, id)
  )`,
  'create table deleted_bodies (subject text not null primary key, deleted_at bigint not null)',
];
