import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import { listenTo, type PostgresListener } from '../store/postgres/postgres-listener.ts';
import type { Store } from '../store/store.ts';
import type { Arbiter, ClusterMember } from './arbiter.ts';
import { type AppliedReport, applyReport, type LeaseBook } from './lease-book.ts';
import { sharedStateMax } from './shared-state.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export interface PostgresArbiterParts {
  readonly store: Store;
  readonly database: string;
  /** The process that reports through this arbiter. */
  readonly process: string;
  /** The clock of all processes; by default the database's. */
  readonly now?: (db: Kysely<Database>) => RawBuilder<number>;
}

const lock = 'cluster';
const channel = 'chat_gateway_cluster';
/** The names of more processes do not fit into one notification: then it wakes all. */
const payloadMax = 7000;
const allProcesses = '*';
/** A process that is suspended in the middle of its report must not block the reports of others. */
const idleMaxMs = 2000;

/**
 * The arbiter in a database that all machines share. Its book is two tables. A reporting process reads them under one
 * lock, divides, and writes the changes, in one transaction and with the database's clock. A notification wakes the
 * others; they also report once a second in any case.
 */
export function postgresArbiter(parts: PostgresArbiterParts): Arbiter & PostgresListener {
  const { store, database, process, now = databaseNow } = parts;
  const listeners = new Set<(processes: readonly string[]) => void>();
  let listener: PostgresListener | undefined;
  const onNotification = (payload: string): void => {
    const processes = payload === allProcesses ? [process] : payload.split(' ');
    for (const each of listeners) each(processes);
  };
  return {
    report: (report) =>
      store.transaction(
        async (tx) => {
          const { nowMs, ...book } = await read(tx, now(tx));
          const applied = applyReport(book, report, nowMs);
          if (!applied) throw new Error('a later report was applied already');
          await write(tx, applied, nowMs);
          return applied.reply;
        },
        { lock },
      ),
    leave: (name) =>
      store.transaction(
        async (tx) => {
          await tx.deleteFrom('cluster_members').where('process', '=', name).execute();
          await sql`select pg_notify(${channel}, ${allProcesses})`.execute(tx);
        },
        { lock },
      ),
    subscribe(each) {
      listener ??= listenTo({ database, channel, name: connectionName(process), onNotification: onNotification });
      listeners.add(each);
      return () => listeners.delete(each);
    },
    overview: async () => (await read(store.db, now(store.db))).members,
    stop: async () => listener?.stop(),
  };
}

function connectionName(process: string): string {
  return `chat-gateway ${process}`;
}

/**
 * Reads the whole book in one statement, so that it comes from one snapshot, taken after the lock was acquired. The
 * members are joined as stored text, and connections are scanned once: with a hundred members that is most of the work.
 */
async function read(db: Kysely<Database>, now: RawBuilder<number>): Promise<LeaseBook & { readonly nowMs: number }> {
  const { rows } = await sql<{ now: number; members: string; connected: string; shared_state: string }>`
    select ${now} as now,
      set_config('idle_in_transaction_session_timeout', ${String(idleMaxMs)}, true) as idle,
      (select '[' || coalesce(string_agg(cluster_members.member, ','), '') || ']' from cluster_members) as members,
      (select cast(coalesce(json_agg(application_name), '[]') as text) from pg_stat_activity
        where starts_with(application_name, ${connectionName('')})) as connected,
      (select cast(coalesce(json_agg(json_build_object('subject', subject, 'process', process, 'value', value,
        'version', version, 'untilMs', until_ms)), '[]') as text) from shared_states) as shared_state`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database returned no row');
  const members = ownJson(row.members) as readonly ClusterMember[];
  const connected = new Set(ownJson(row.connected) as readonly string[]);
  return {
    nowMs: row.now,
    members: members.map((member) => ({ ...member, isConnected: connected.has(connectionName(member.process)) })),
    sharedState: ownJson(row.shared_state) as LeaseBook['sharedState'],
  };
}

async function write(tx: Kysely<Database>, applied: AppliedReport, nowMs: number): Promise<void> {
  const { gone, sharedState, wake } = applied;
  const kept = tx
    .insertInto('cluster_members')
    .values(
      [applied.member, ...applied.corrected].map((member) => ({
        process: member.process,
        member: JSON.stringify(member),
      })),
    )
    .onConflict((row) => row.column('process').doUpdateSet((old) => ({ member: old.ref('excluded.member') })));
  const names = wake.join(' ');
  const payload = names.length > payloadMax ? allProcesses : names;
  await sql`with kept as (${kept}) select pg_notify(${channel}, ${payload}) where cast(${payload} as text) <> ''`.execute(
    tx,
  );
  if (gone.length > 0) await tx.deleteFrom('cluster_members').where('process', 'in', gone).execute();
  if (sharedState.length > 0) await writeSharedState(tx, sharedState, nowMs);
}

type WrittenState = AppliedReport['sharedState'];

async function writeSharedState(tx: Kysely<Database>, sharedState: WrittenState, nowMs: number): Promise<void> {
  const rows = sharedState.map(({ untilMs, ...state }) => ({ ...state, until_ms: Math.ceil(untilMs) }));
  await tx
    .insertInto('shared_states')
    .values(rows)
    .onConflict((row) =>
      row.column('subject').doUpdateSet((old) => ({
        process: old.ref('excluded.process'),
        value: old.ref('excluded.value'),
        version: old.ref('excluded.version'),
        until_ms: old.ref('excluded.until_ms'),
      })),
    )
    .execute();
  const latest = tx
    .selectFrom('shared_states')
    .select('version')
    .orderBy('version', 'desc')
    .offset(sharedStateMax)
    .limit(1);
  await tx
    .deleteFrom('shared_states')
    .where((row) => row.or([row('until_ms', '<', nowMs), row('version', '<=', latest)]))
    .execute();
}
