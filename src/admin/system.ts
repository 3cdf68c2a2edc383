import { z } from 'zod';
import { namesOf } from '../accounts/names.ts';
import { type ProcessRow, runningProcesses } from '../billing/processes.ts';
import { reportedRefusals } from '../billing/reported-refusals.ts';
import { verifyLedger } from '../billing/verify.ts';
import { readRows } from '../catalog/resource-rows.ts';
import { responseRows } from '../responses/kept-responses.ts';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { driftBetween } from './drift.ts';
import { asking, type Endpoint, reading } from './endpoint.ts';
import { isoTime, timeSchema } from './wire.ts';

const kinds = z.enum(['upstream', 'model', 'package', 'site']);

const replicaSchema = z.strictObject({
  id: z.string(),
  started_at: timeSchema,
  last_seen_at: timeSchema.describe("By the database's clock; a process says every 5 seconds that it lives."),
  is_alive: z.boolean(),
  is_self: z.boolean(),
});

const keptSchema = z.strictObject({
  responses: z.int(),
  bytes: z.int(),
  accounts: z
    .array(z.strictObject({ account_id: z.string(), account: z.string(), responses: z.int(), bytes: z.int() }))
    .describe('Those with the most, at most ten.'),
});

const refusedSchema = z.strictObject({
  at: timeSchema,
  request_id: z.string(),
  account_id: z.string(),
  account: z.string().nullable().describe('Its name; null: it is not known here.'),
  cost: z.string(),
  error: z.string().describe("The store's reason."),
  is_booked: z.boolean().describe('Whether it could be booked since.'),
});

const driftSchema = z.strictObject({
  kind: kinds,
  name: z.string(),
  difference: z.enum(['only in the store', 'only in the file', 'different']),
});

const schema = z.strictObject({
  version: z.string().describe('The value of `x-gateway-version`.'),
  build: z.string().describe('When this build was made.'),
  engine: z.enum(['sqlite', 'postgres']).describe('What keeps the data.'),
  schema_version: z.string().describe('The last migration of the store.'),
  currency: z.string(),
  process: z.strictObject({ id: z.string(), started_at: timeSchema, uptime_s: z.int() }).describe('Who answers.'),
  replicas: z.array(replicaSchema).describe('The processes on this store, oldest first.'),
  kept_responses: keptSchema.describe(
    'Responses that clients may refer to later: how many and how large, never what is in them.',
  ),
  dead_letter_charges: z
    .array(refusedSchema)
    .describe(
      'Charges that could not be booked, as `charge.refused` told of them: the first of a day for each account, newest first, at most ten.',
    ),
  config: z.strictObject({
    file: z.string().nullable().describe('The configuration file, without its folder; null: it runs on defaults.'),
    owned: z.array(z.strictObject({ kind: kinds, name: z.string() })).describe('What only the file can change.'),
    drift: z
      .array(driftSchema)
      .describe('Where the store says something else than the file of this process; another may run by another file.'),
    problems: z.array(z.string()).describe('Stored entries that are left out, and why.'),
  }),
});

const checkSchema = z.strictObject({
  title: z.string().describe('What must be true.'),
  count: z.int().describe('How many things were looked at.'),
  violations: z.array(z.string()).describe('What breaks it, at most 20; empty when it holds.'),
});

const reportSchema = z.strictObject({
  is_valid: z.boolean(),
  checks: z.array(checkSchema),
});

export const systemEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/system',
    operationId: 'getSystem',
    summary: 'What is running here.',
    access: 'read-only',
    reply: {
      name: 'System',
      schema,
      inside: [
        { name: 'Replica', schema: replicaSchema },
        { name: 'Drift', schema: driftSchema },
        { name: 'KeptResponses', schema: keptSchema },
        { name: 'DeadLetterCharge', schema: refusedSchema },
      ],
    },
    run: async ({ parts }) => {
      const { process, build, file, resources } = parts.system();
      const rows = await readRows(parts.store.db);
      const replicas = await runningProcesses(parts.store);
      return {
        version: parts.current().version,
        build,
        engine: engineOf(parts.store.db),
        schema_version: await schemaVersion(parts.store),
        currency: parts.currency(),
        process: {
          id: process.id,
          started_at: isoTime(process.startedAt),
          uptime_s: Math.max(0, Math.floor((parts.clock.now() - process.startedAt) / 1000)),
        },
        replicas: replicas.map((row) => replicaDocument(row, process.id)),
        kept_responses: await keptDocument(parts.store),
        dead_letter_charges: await refusedDocuments(parts.store),
        config: {
          file: file ?? null,
          owned: resources.map(({ kind, name }) => ({ kind, name })),
          drift: [...driftBetween(rows, resources)],
          problems: [...parts.current().problems],
        },
      };
    },
  }),
  asking({
    method: 'POST',
    path: '/admin/v1/ledger/verify',
    operationId: 'verifyLedger',
    summary: 'Check everything that must be true of the ledger. It reads all of it.',
    access: 'operator',
    reply: {
      name: 'LedgerReport',
      schema: reportSchema,
      inside: [{ name: 'LedgerCheck', schema: checkSchema }],
    },
    run: async ({ parts }) => {
      const { checks, isSound } = await verifyLedger(parts.store);
      return {
        is_valid: isSound,
        checks: checks.map(({ title, count, violations }) => ({ title, count, violations: [...violations] })),
      };
    },
  }),
];

const keptAccountsMax = 10;

async function keptDocument(store: Store): Promise<z.input<typeof keptSchema>> {
  const sums = await responseRows.most(store, keptAccountsMax);
  const accounts = sums.map(({ accountId, ...sum }) => ({ account_id: accountId, ...sum }));
  return { ...(await responseRows.total(store)), accounts };
}

const refusedMax = 10;

async function refusedDocuments(store: Store): Promise<z.input<typeof refusedSchema>[]> {
  const refusals = await reportedRefusals(store, refusedMax);
  const names = await namesOf(
    store,
    'accounts',
    refusals.map(({ accountId }) => accountId),
  );
  return refusals.map(({ at, requestId, accountId, cost, error, isBooked }) => ({
    at: isoTime(at),
    request_id: requestId,
    account_id: accountId,
    account: names.get(accountId) ?? null,
    cost,
    error,
    is_booked: isBooked,
  }));
}

function replicaDocument({ id, startedAt, seenAt, isAlive }: ProcessRow, ownId: string) {
  return {
    id,
    started_at: isoTime(startedAt),
    last_seen_at: isoTime(seenAt),
    is_alive: isAlive,
    is_self: id === ownId,
  };
}

async function schemaVersion(store: Store): Promise<string> {
  const row = await store.db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name', 'desc')
    .executeTakeFirst();
  return row?.name ?? '';
}
