import type { SchemaStatement } from './schema-statement.ts';

const auditColumns = `at bigint not null,
    actor text not null,
    role text not null,
    action text not null,
    subject_kind text not null,
    subject_id text not null,
    "before" text,
    "after" text,
    request_id text,
    address text,
    device text`;

/** Access to the admin API, the audit log, and the leaky buckets that slow down guessing. */
export const adminTables: readonly SchemaStatement[] = [
  `create table admin_tokens (
    id text not null primary key,
    name text not null,
    role text not null,
    account_id text references accounts (id),
    digest text not null unique,
    digest_secret text not null,
    display text not null,
    created_at bigint not null,
    created_by text,
    revoked_at bigint,
    last_used_at bigint
  )`,
  `create table admin_writes (
    token_id text not null,
    key_digest text not null,
    request_digest text not null,
    reply text,
    at bigint not null,
    constraint admin_writes_pk primary key (token_id, key_digest)
  )`,
  'create index admin_writes_by_time on admin_writes (at)',
  {
    sqlite: `create table audit (id integer primary key autoincrement, ${auditColumns})`,
    postgres: `create table audit (id bigint generated always as identity primary key, ${auditColumns})`,
  },
  'create index audit_by_subject on audit (subject_kind, subject_id, id)',
  `create table audit_accounts (
    account_id text not null,
    line bigint not null,
    constraint audit_accounts_pk primary key (account_id, line)
  )`,
  // The audit log is append-only for every connection.
  {
    sqlite: `create trigger audit_no_update before update on audit
      begin select raise(abort, 'the audit log is never changed'); end`,
    postgres: `create function refuse_audit_change() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is never changed'; end $$`,
  },
  {
    sqlite: `create trigger audit_no_delete before delete on audit
      begin select raise(abort, 'the audit log is never changed'); end`,
    postgres: `create trigger audit_no_change before update or delete or truncate on audit
      for each statement execute function refuse_audit_change()`,
  },
  `create table leaky_counts (
    name text not null primary key,
    until bigint not null,
    version bigint not null
  )`,
  'create index leaky_counts_by_end on leaky_counts (until)',
];
