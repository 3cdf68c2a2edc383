import type { SchemaStatement } from './schema-statement.ts';

/** Dashboard users, their credentials and permissions. Rows that belong to a user are deleted with the user. */
export const consoleTables: readonly SchemaStatement[] = [
  ofLibrary(`create table console_users (
    id text not null primary key,
    name text not null,
    email text not null,
    email_verified @truth not null,
    image text,
    two_factor_enabled @truth,
    language text,
    created_at @time not null,
    updated_at @time not null
  )`),
  'create unique index console_users_by_email on console_users (email)',
  ofLibrary(`create table console_sessions (
    id text not null primary key,
    user_id text not null references console_users (id) on delete cascade,
    token text not null,
    expires_at @time not null,
    created_at @time not null,
    updated_at @time not null,
    ip_address text,
    user_agent text
  )`),
  'create unique index console_sessions_by_token on console_sessions (token)',
  'create index console_sessions_by_user_id on console_sessions (user_id)',
  ofLibrary(`create table console_credentials (
    id text not null primary key,
    user_id text not null references console_users (id) on delete cascade,
    account_id text not null,
    provider_id text not null,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at @time,
    refresh_token_expires_at @time,
    scope text,
    password text,
    created_at @time not null,
    updated_at @time not null
  )`),
  'create index console_credentials_by_user_id on console_credentials (user_id)',
  ofLibrary(`create table console_two_factors (
    id text not null primary key,
    user_id text not null references console_users (id) on delete cascade,
    secret text not null,
    backup_codes text not null,
    verified @truth,
    failed_verification_count integer,
    locked_until @time,
    last_step bigint
  )`),
  'create index console_two_factors_by_user_id on console_two_factors (user_id)',
  ofLibrary(`create table console_passkeys (
    id text not null primary key,
    user_id text not null references console_users (id) on delete cascade,
    name text,
    public_key text not null,
    credential_id text not null,
    counter bigint not null,
    device_type text not null,
    backed_up @truth not null,
    transports text,
    created_at @time,
    aaguid text
  )`),
  'create index console_passkeys_by_credential_id on console_passkeys (credential_id)',
  'create index console_passkeys_by_user_id on console_passkeys (user_id)',
  ofLibrary(`create table console_verifications (
    id text not null primary key,
    identifier text not null,
    value text not null,
    expires_at @time not null,
    created_at @time not null,
    updated_at @time not null
  )`),
  'create index console_verifications_by_identifier on console_verifications (identifier)',
  `create table console_operators (
    user_id text not null primary key references console_users (id) on delete cascade,
    role text not null,
    created_at bigint not null
  )`,
  `create table console_members (
    account_id text not null references accounts (id),
    user_id text not null references console_users (id) on delete cascade,
    role text not null,
    limits text,
    models text,
    max_concurrency integer,
    created_at bigint not null,
    constraint console_members_pk primary key (account_id, user_id)
  )`,
  'create index console_members_by_user_id on console_members (user_id)',
  `create table organisation_members (
    organisation_id text not null references organisations (id),
    user_id text not null references console_users (id) on delete cascade,
    role text not null,
    created_at bigint not null,
    constraint organisation_members_pk primary key (organisation_id, user_id)
  )`,
  'create index organisation_members_by_user_id on organisation_members (user_id)',
  `create table console_links (
    id text not null primary key,
    purpose text not null,
    digest text not null unique,
    email text,
    role text not null,
    account_id text references accounts (id),
    organisation_id text references organisations (id),
    created_by text not null,
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint
  )`,
  `create table console_sign_ups (
    id text not null primary key,
    digest text not null unique,
    email text not null,
    name text not null,
    password_hash text not null,
    package text not null,
    language text,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index console_sign_ups_email on console_sign_ups (email)',
  `create table console_locations (
    user_id text not null references console_users (id) on delete cascade,
    location text not null,
    seen_at bigint not null,
    constraint console_locations_pk primary key (user_id, location)
  )`,
];

/** Unlike our own tables, the authentication library uses each engine's types for times and booleans. */
function ofLibrary(table: string): SchemaStatement {
  return {
    sqlite: table.replaceAll('@time', 'text').replaceAll('@truth', 'integer'),
    postgres: table.replaceAll('@time', 'timestamptz').replaceAll('@truth', 'boolean'),
  };
}
