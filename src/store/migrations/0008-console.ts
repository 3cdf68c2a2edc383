import { type ColumnDataType, type CreateTableBuilder, type Expression, type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** Dashboard users, their credentials and permissions. */
export const consoleTables = {
  async up(db: Kysely<unknown>): Promise<void> {
    await signingIn(db);
    await rights(db);
    await links(db);
  },
};

type Column = ColumnDataType | Expression<unknown>;

/** Unlike our own tables, the authentication library uses each engine's types for times and booleans. */
function columnTypes(db: Kysely<unknown>): { time: Column; truth: Column } {
  return engineOf(db) === 'postgres'
    ? { time: sql`timestamptz`, truth: sql`boolean` }
    : { time: sql`text`, truth: sql`integer` };
}

async function signingIn(db: Kysely<unknown>): Promise<void> {
  const { time, truth } = columnTypes(db);
  await table(db, 'console_users', {
    name: 'text',
    email: 'text',
    email_verified: truth,
    'image?': 'text',
    created_at: time,
    updated_at: time,
    'two_factor_enabled?': truth,
  });
  await unique(db, 'console_users', 'email');
  await table(db, 'console_sessions', {
    user_id: 'text',
    token: 'text',
    expires_at: time,
    created_at: time,
    updated_at: time,
    'ip_address?': 'text',
    'user_agent?': 'text',
  });
  await unique(db, 'console_sessions', 'token');
  await table(db, 'console_credentials', {
    user_id: 'text',
    account_id: 'text',
    provider_id: 'text',
    'access_token?': 'text',
    'refresh_token?': 'text',
    'id_token?': 'text',
    'access_token_expires_at?': time,
    'refresh_token_expires_at?': time,
    'scope?': 'text',
    'password?': 'text',
    created_at: time,
    updated_at: time,
  });
  await table(db, 'console_two_factors', {
    user_id: 'text',
    secret: 'text',
    backup_codes: 'text',
    'verified?': truth,
    'failed_verification_count?': 'integer',
    'locked_until?': time,
  });
  await table(db, 'console_passkeys', {
    user_id: 'text',
    'name?': 'text',
    public_key: 'text',
    credential_id: 'text',
    counter: 'bigint',
    device_type: 'text',
    backed_up: truth,
    'transports?': 'text',
    'created_at?': time,
    'aaguid?': 'text',
  });
  await table(db, 'console_verifications', {
    identifier: 'text',
    value: 'text',
    expires_at: time,
    created_at: time,
    updated_at: time,
  });
  await index(db, 'console_passkeys', 'credential_id');
  await index(db, 'console_verifications', 'identifier');
  for (const each of ['sessions', 'credentials', 'two_factors', 'passkeys']) {
    await index(db, `console_${each}`, 'user_id');
  }
}

/** Columns whose names end in `?` are nullable. Rows that belong to a user are deleted with the user. */
async function table(db: Kysely<unknown>, name: string, columns: Readonly<Record<string, Column>>): Promise<void> {
  let builder: CreateTableBuilder<string, string> = db.schema
    .createTable(name)
    .addColumn('id', 'text', (column) => column.primaryKey().notNull());
  for (const [key, type] of Object.entries(columns)) {
    const column = key.replace('?', '');
    builder = builder.addColumn(column, type as ColumnDataType, (each) => {
      if (column === 'user_id') return each.notNull().references('console_users.id').onDelete('cascade');
      return key.endsWith('?') ? each : each.notNull();
    });
  }
  await builder.execute();
}

async function unique(db: Kysely<unknown>, name: string, column: string): Promise<void> {
  await db.schema.createIndex(`${name}_by_${column}`).on(name).column(column).unique().execute();
}

async function index(db: Kysely<unknown>, name: string, column: string): Promise<void> {
  await db.schema.createIndex(`${name}_by_${column}`).on(name).column(column).execute();
}

async function rights(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('console_operators')
    .addColumn('user_id', 'text', (column) =>
      column.primaryKey().notNull().references('console_users.id').onDelete('cascade'),
    )
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('console_members')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('console_users.id').onDelete('cascade'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('console_members_pk', ['account_id', 'user_id'])
    .execute();
  await index(db, 'console_members', 'user_id');
}

async function links(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('console_links')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
}
