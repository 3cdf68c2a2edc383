import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openSource, sourceRows, sourceTables } from '../../src/manage/backup/source-tables.ts';
import { migrations } from '../../src/platform/store/migrate.ts';
import { firstWords } from './try-package.ts';

/**
 * Writes `test/fixtures/store/releases/VERSION.json`: the rows that this version writes while it answers requests and
 * runs commands. Run it last, on the commit of a release. `src/platform/store/upgrade.test.ts` upgrades the rows with later ones.
 */
const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const into = join(root, 'test/fixtures/store/releases');
const launcher = join(root, 'bin/chat-gateway.cjs');
const folder = mkdtempSync(join(tmpdir(), 'gateway-record-'));

try {
  await useGateway();
  const store = openSource(join(folder, 'data/gateway.db'), false);
  const lastMigration = Object.keys(migrations).toSorted().at(-1);
  const recorded = { lastMigration, rows: rowsOf(store) };
  store.close();
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, `${version}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
  console.log(`${Object.keys(recorded.rows).length} tables have rows: ${Object.keys(recorded.rows).join(', ')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a gateway as a new user does, and uses it on every surface and with commands. */
async function useGateway(): Promise<void> {
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [address] = await firstWords(child);
    await sendRequests(address);
    runCommands();
  } finally {
    child.kill('SIGTERM');
  }
  await once(child, 'exit');
}

async function sendRequests(address: string): Promise<void> {
  const key = String(cli('keys', 'create', '--account', 'demo', '--name', 'ada', '--spend-cap', '5.00')['secret']);
  const headers = { authorization: `Bearer ${key}`, 'x-api-key': key, 'content-type': 'application/json' };
  const messages = [{ role: 'user', content: 'Hello!' }];
  const bodies = {
    '/v1/chat/completions': { model: 'sim-chat', messages, metadata: { team: 'search' } },
    '/anthropic/v1/messages': { model: 'sim-tools', messages, max_tokens: 100 },
    '/v1/responses': { model: 'sim-think', input: 'Hello!' },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  }
}

function runCommands(): void {
  cli('organisations', 'create', 'company', '--limit', '100/month');
  cli('accounts', 'create', 'team', '--credit', '20.00');
  cli('accounts', 'change', 'team', '--organisation', 'company');
  cli('accounts', 'create', 'invoice', '--postpaid', '--limit', '100/month');
  cli('codes', 'create', '--count', '2', '--amount', '5.00', '--note', 'first');
  cli('webhooks', 'add', 'https://example.com/events', '--account', 'team', '--name', 'events');
  cli('admin-tokens', 'create', '--name', 'scripts', '--role', 'operator');
  cli('keys', 'rotate', 'ada', '--grace', '24h');
}

function cli(...words: readonly string[]): Readonly<Record<string, unknown>> {
  const output = execFileSync(process.execPath, [launcher, ...words, '--json'], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(output) as Readonly<Record<string, unknown>>;
}

/** The rows of each table that has some; referenced tables come first. */
function rowsOf(store: DatabaseSync): Readonly<Record<string, readonly object[]>> {
  const tables = sourceTables(store).filter(({ rows }) => rows > 0);
  const ordered: (typeof tables)[number][] = [];
  const add = (table: (typeof tables)[number]): void => {
    if (ordered.includes(table)) return;
    const referenced = store.prepare('select distinct "table" as name from pragma_foreign_key_list(?)').all(table.name);
    for (const { name } of referenced) {
      const other = tables.find((each) => each.name === name);
      if (other && other !== table) add(other);
    }
    ordered.push(table);
  };
  for (const table of tables) add(table);
  return Object.fromEntries(ordered.map((table) => [table.name, [...sourceRows(store, table)].map(withNumbers)]));
}

/** JSON has no integers of 64 bits. An integer that a number cannot hold becomes text, which both engines accept. */
function withNumbers(row: Record<string, unknown>): object {
  const exact = (value: unknown): unknown => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, exact(value)]));
}
