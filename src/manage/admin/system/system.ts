import { z } from 'zod';
import { namesOf } from '../../../money/accounts/names.ts';
import { type ProcessRow, runningProcesses } from '../../../money/billing/recovery/processes.ts';
import { reportedRefusals } from '../../../money/billing/recovery/reported-refusals.ts';
import { verifyLedger } from '../../../money/billing/ledger/verify.ts';
import { readRows, type ResourceRow } from '../../../money/catalog/resource-rows.ts';
import { packageVersion } from '../../../core/build-stamp.ts';
import { storedResponses } from '../../../work/responses/stored-responses.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import type { Store } from '../../../platform/store/store.ts';
import { actionEndpoint, type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { documentAs, isoTime, timeSchema } from '../api/wire.ts';
import type { Resource } from '../../../platform/config/schema/resource.ts';

const kinds = z.enum(['upstream', 'model', 'package', 'site']);

const replicaSchema = z.strictObject({
  id: z.string(),
  started_at: timeSchema,
  last_seen_at: timeSchema.describe('Last heartbeat, by the clock of the database. A process sends one every 5 s.'),
  is_alive: z.boolean(),
  is_self: z.boolean(),
});

const accountSchema = z.strictObject({
  account_id: z.string(),
  account: z.string(),
  responses: z.int(),
  bytes: z.int(),
});

const storedSchema = z.strictObject({
  responses: z.int(),
  bytes: z.int(),
  accounts: z.array(accountSchema).describe('The accounts with the most bytes, at most ten.'),
});

const deadLetterSchema = z.strictObject({
  at: timeSchema,
  request_id: z.string(),
  account_id: z.string(),
  account: z.string().nullable().describe('Name of the account. Null: unknown here.'),
  cost: z.string(),
  error: z.string().describe('Error of the store.'),
  is_booked: z.boolean().describe('Whether it has been booked since.'),
});

const driftSchema = z.strictObject({
  kind: kinds,
  name: z.string(),
  difference: z.enum(['only in the store', 'only in the file', 'different']),
});

const schema = z.strictObject({
  release: z.string().describe('Version of the package.'),
  version: z.string().describe('The value of `x-gateway-version`.'),
  build: z.string().describe('Build time.'),
  engine: z.enum(['sqlite', 'postgres']).describe('Database engine.'),
  schema_version: z.string().describe('Last migration of the store.'),
  currency: z.string(),
  process: z
    .strictObject({ id: z.string(), started_at: timeSchema, uptime_s: z.int() })
    .describe('The process that answered.'),
  replicas: z.array(replicaSchema).describe('Processes that use this store, oldest first.'),
  stored_responses: storedSchema.describe(
    'Stored responses that clients may refer to later: count and size, never content.',
  ),
  dead_letter_charges: z
    .array(deadLetterSchema)
    .describe(
      'Charges that the store rejected, as reported by `charge.refused`: the first of a day for each account, newest first, at most ten.',
    ),
  config: z.strictObject({
    file: z
      .string()
      .nullable()
      .describe('Name of the configuration file, without its folder. Null: the process runs on defaults.'),
    owned: z
      .array(z.strictObject({ kind: kinds, name: z.string() }))
      .describe('Entries that only the file can change.'),
    drift: z
      .array(driftSchema)
      .describe('Differences between the store and the file of this process. Another process may use another file.'),
    problems: z.array(z.string()).describe('Stored entries that are not used, and why.'),
  }),
});

const checkSchema = z.strictObject({
  title: z.string().describe('The rule that is checked.'),
  count: z.int().describe('Number of rows checked.'),
  violations: z.array(z.string()).describe('Violations, at most 20. Empty if the check passed.'),
});

const reportSchema = z.strictObject({
  is_valid: z.boolean(),
  checks: z.array(checkSchema),
});

export const systemEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/system', 'getSystem', 'read-only', {
    summary: 'Get the version, processes and configuration of the gateway.',
    reply: {
      name: 'System',
      schema,
      inside: [
        { name: 'Replica', schema: replicaSchema },
        { name: 'Drift', schema: driftSchema },
        { name: 'StoredResponses', schema: storedSchema },
        { name: 'DeadLetterCharge', schema: deadLetterSchema },
      ],
    },
    run: async ({ parts }) => {
      const { process, build, file, resources } = parts.system();
      const rows = await readRows(parts.store.db);
      const replicas = await runningProcesses(parts.store);
      return {
        release: packageVersion(),
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
        stored_responses: await storedDocument(parts.store),
        dead_letter_charges: await deadLetterDocuments(parts.store),
        config: {
          file: file ?? null,
          owned: resources.map(({ kind, name }) => ({ kind, name })),
          drift: [...driftBetween(rows, resources)],
          problems: [...parts.current().problems],
        },
      };
    },
  }),
  actionEndpoint('POST /admin/v1/ledger/verify', 'verifyLedger', 'operator', {
    summary: 'Verify the ledger. This reads all of it.',
    reply: { name: 'LedgerReport', schema: reportSchema, inside: [{ name: 'LedgerCheck', schema: checkSchema }] },
    run: async ({ parts }) => {
      const { checks, isSound } = await verifyLedger(parts.store);
      return {
        is_valid: isSound,
        checks: checks.map(({ title, count, violations }) => ({ title, count, violations: [...violations] })),
      };
    },
  }),
];

type Drift = z.input<typeof driftSchema>;

/** Compares the store with the file. Another process may use another file, or this one was not applied. */
function driftBetween(rows: readonly ResourceRow[], file: readonly Resource[]): readonly Drift[] {
  const stored = new Map(rows.filter(({ source }) => source === 'file').map((row) => [nameOf(row), row]));
  const inFile = new Map(file.map((resource) => [nameOf(resource), resource]));
  const ofStore = [...stored].flatMap(([id, { kind, name, spec }]): Drift[] => {
    const other = inFile.get(id);
    if (!other) return [{ kind, name, difference: 'only in the store' }];
    return JSON.stringify(other.spec) === JSON.stringify(spec) ? [] : [{ kind, name, difference: 'different' }];
  });
  const ofFile = [...inFile].filter(([id]) => !stored.has(id));
  return [...ofStore, ...ofFile.map(([, { kind, name }]): Drift => ({ kind, name, difference: 'only in the file' }))];
}

function nameOf({ kind, name }: Resource): string {
  return `${kind} ${name}`;
}

const accountsMax = 10;

async function storedDocument(store: Store): Promise<z.input<typeof storedSchema>> {
  const { count, bytes } = await storedResponses.total(store);
  const accounts = await storedResponses.most(store, accountsMax);
  const shown = accounts.map((sum) => ({ ...sum, responses: sum.count }));
  return { responses: count, bytes, accounts: shown.map((sum) => documentAs(accountSchema.shape, sum)) };
}

const deadLettersMax = 10;

async function deadLetterDocuments(store: Store): Promise<z.input<typeof deadLetterSchema>[]> {
  const charges = await reportedRefusals(store, deadLettersMax);
  const ids = charges.map(({ accountId }) => accountId);
  const names = await namesOf(store, 'accounts', ids);
  return charges.map((charge) =>
    documentAs(deadLetterSchema.shape, { ...charge, account: names.get(charge.accountId) }),
  );
}

function replicaDocument(row: ProcessRow, ownId: string) {
  return documentAs(replicaSchema.shape, { ...row, lastSeenAt: row.seenAt, isSelf: row.id === ownId });
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
