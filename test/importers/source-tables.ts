import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';

/** The type of a column in PostgreSQL. An SQLite file has text, integer and real columns instead. */
export type ColumnType = 'text' | 'float' | 'bigint' | 'boolean' | 'time' | 'text[]' | 'json';

/** The columns of each table of a product. */
export type SourceSchema = Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;

/** Rows by table. Columns that are left out are null. */
export type SourceRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const postgresTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  float: 'double precision',
  bigint: 'bigint',
  boolean: 'boolean',
  time: 'timestamp(3)',
  'text[]': 'text[]',
  json: 'jsonb',
};

const sqliteTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  float: 'real',
  bigint: 'integer',
  boolean: 'integer',
  time: 'datetime',
  'text[]': 'text',
  json: 'text',
};

/** Creates the tables of a product in a PostgreSQL database, and fills them. */
export async function fillPostgres(address: string, schema: SourceSchema, rows: SourceRows): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    for (const [table, columns] of Object.entries(schema)) {
      const defined = Object.entries(columns).map(([name, type]) => `"${name}" ${postgresTypes[type]}`);
      await client.query(`create table "${table}" (${defined.join(', ')})`);
      for (const row of rows[table] ?? []) {
        const names = Object.keys(row);
        const values = names.map((name) => {
          const value = row[name] ?? null;
          return columns[name] === 'json' && value !== null ? JSON.stringify(value) : value;
        });
        const places = names.map((_name, index) => `$${index + 1}`).join(', ');
        await client.query(
          `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${places})`,
          values,
        );
      }
    }
  } finally {
    await client.end();
  }
}

/** The same in an SQLite file. */
export function fillSqlite(file: string, schema: SourceSchema, rows: SourceRows): void {
  const database = new DatabaseSync(file);
  for (const [table, columns] of Object.entries(schema)) {
    const defined = Object.entries(columns).map(([name, type]) => `"${name}" ${sqliteTypes[type]}`);
    database.exec(`create table if not exists "${table}" (${defined.join(', ')})`);
    for (const row of rows[table] ?? []) {
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      database
        .prepare(`insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${places})`)
        .run(...names.map((name) => sqliteValue(row[name])));
    }
  }
  database.close();
}

const mysqlTypes: Readonly<Record<ColumnType, string>> = {
  text: 'longtext',
  float: 'double',
  bigint: 'bigint',
  boolean: 'tinyint(1)',
  time: 'datetime(3)',
  'text[]': 'json',
  json: 'json',
};

/** The same as the text of a dump, as `mysqldump` writes it: every column of every row, several rows a statement. */
export function mysqlDump(schema: SourceSchema, rows: SourceRows): string {
  const tables = Object.entries(schema).map(([table, columns]) => {
    const defined = Object.entries(columns).map(([name, type]) => `  \`${name}\` ${mysqlTypes[type]} DEFAULT NULL`);
    const tuples = (rows[table] ?? []).map((row) => {
      const values = Object.keys(columns).map((name) => mysqlLiteral(sqliteValue(row[name])));
      return `(${values.join(',')})`;
    });
    return [
      `DROP TABLE IF EXISTS \`${table}\`;`,
      '/*!50503 SET character_set_client = utf8mb4 */;',
      `CREATE TABLE \`${table}\` (\n${defined.join(',\n')}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;`,
      `LOCK TABLES \`${table}\` WRITE;`,
      `/*!40000 ALTER TABLE \`${table}\` DISABLE KEYS */;`,
      ...(tuples.length > 0 ? [`INSERT INTO \`${table}\` VALUES ${tuples.join(',')};`] : []),
      `/*!40000 ALTER TABLE \`${table}\` ENABLE KEYS */;`,
      'UNLOCK TABLES;\n',
    ].join('\n');
  });
  const head = '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n\n/*!50503 SET NAMES utf8mb4 */;';
  return `${head}\n${tables.join('\n')}-- Dump completed\n`;
}

const mysqlEscapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '"': '\\"',
  '\\': '\\\\',
};

function mysqlLiteral(value: SQLInputValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return `'${value.replace(/[\0\n\r'"\\]/g, (character) => mysqlEscapes[character] ?? character)}'`;
}

function sqliteValue(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString().replace('T', ' ').replace('Z', '');
  if (typeof value === 'object') return JSON.stringify(value);
  return value as SQLInputValue;
}
