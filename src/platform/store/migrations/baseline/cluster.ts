import type { SchemaStatement } from './schema-statement.ts';

const changes = 'topic text not null, subject text not null, at bigint not null';

/** Communication between processes. `cluster_members` and `shared_states` are used only in a shared database. */
export const clusterTables: readonly SchemaStatement[] = [
  {
    // With one writer at a time, ids become visible in order: no lower id can appear later.
    sqlite: `create table changes (id integer primary key autoincrement, ${changes})`,
    // With many writers, the writing transaction of a row shows whether an earlier read could have seen it.
    postgres: `create table changes (id bigint generated always as identity primary key, ${changes},
      txid xid8 not null default pg_current_xact_id())`,
  },
  { postgres: 'create index changes_by_transaction on changes (txid)' },
  'create table settings (name text not null primary key, value text not null)',
  `create table cluster_members (
    process text not null primary key,
    member text not null
  )`,
  `create table shared_states (
    subject text not null primary key,
    process text not null,
    value text not null,
    version bigint not null,
    until_ms bigint not null
  )`,
  `create table reply_claims (
    scope text not null primary key,
    claim text not null unique,
    process text not null,
    digest text not null,
    state text not null,
    ending text,
    claimed_at bigint not null,
    read_until bigint,
    kept_until bigint
  )`,
  'create index reply_claims_by_process on reply_claims (process)',
  `create table reply_pieces (
    claim text not null,
    start bigint not null,
    length bigint not null,
    sealed text not null,
    constraint reply_pieces_pk primary key (claim, start)
  )`,
];
