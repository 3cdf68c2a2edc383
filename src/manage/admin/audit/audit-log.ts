import { z } from 'zod';
import { type AdminCaller, managedAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { idSchema, periodQuery, timeSchema, documentAs } from '../api/wire.ts';
import { namesOf } from '../../../money/accounts/names.ts';
import type { Store } from '../../../platform/store/store.ts';
import { type AuditLine, auditLines } from '../api/audit.ts';
import { csvLine, escapeFormula, csvRows, csvText, csvReply } from '../api/csv.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';

const schema = z.strictObject({
  id: z.int(),
  at: timeSchema,
  actor: z.string().describe('The id of a token, the e-mail address of a user, or `cli`.'),
  actor_name: z.string().nullable().describe('Name of the token.'),
  role: z.string(),
  action: z.string().describe('The operation of this API, the command, or the sign-in event of a user.'),
  subject_kind: z.string(),
  subject_id: z.string(),
  subject_name: z.string().nullable().describe('Name of the subject, or the address it is for.'),
  before: z.unknown().describe('Null if it did not exist.'),
  after: z.unknown().describe('Null if it no longer exists.'),
  address: z.string().nullable().describe('IP address of the client. Null for commands.'),
  device: z.string().nullable().describe('The `user-agent` header of the client.'),
  request_id: z.string().nullable(),
});

type AuditDocument = z.input<typeof schema>;

const auditReply = pageOf({ name: 'AuditLine', schema });
const auditTable = csvReply('AuditTable', 'audit.csv');

const text = z.string().max(256).optional();

const auditFilter = { actor: text, action: text, subject_kind: text, subject_id: text, ...periodQuery };
const auditQuery = { ...auditFilter, ...pageQuery(z.int()) };

type AuditQuery = z.output<z.ZodObject<typeof auditFilter>>;

/** The log of the gateway or of one account. Owners of an account do not see addresses and devices of operators. */
interface AuditView {
  readonly store: Store;
  readonly account?: string | undefined;
  readonly isOwn: boolean;
}

async function auditPage(view: AuditView, query: AuditQuery & { limit: number; cursor?: number | undefined }) {
  const { limit, cursor, ...filter } = query;
  const lines = await linesOf(view, filter, { before: cursor, limit: limit + 1 });
  const { data, next } = page(lines, limit, { shown: (line) => line, position: ({ lineId }) => lineId });
  return { data: await documents(view, data), next };
}

const columns = [
  ...(['at', 'actor', 'actor_name', 'role', 'action', 'subject_kind', 'subject_id', 'subject_name'] as const),
  ...(['address', 'device', 'before', 'after', 'request_id'] as const),
];

async function auditCsv(view: AuditView, filter: AuditQuery): Promise<string> {
  const rows = await csvRows<AuditLine>([csvLine(columns)], {
    read: (last, limit) => linesOf(view, filter, { before: last?.lineId, limit }),
    rowsOf: async (lines) => {
      const shown = await documents(view, lines);
      return shown.map((document) => csvLine(columns.map((name) => cell(document[name]))));
    },
  });
  return csvText(rows);
}

function linesOf(
  { store, account }: AuditView,
  filter: AuditQuery,
  part: { before: number | undefined; limit: number },
) {
  const { subject_kind: kind, subject_id: id, ...rest } = filter;
  return auditLines(store, { ...rest, ...part, kind, id, account });
}

async function documents({ store, isOwn }: AuditView, lines: readonly AuditLine[]): Promise<AuditDocument[]> {
  const actors = lines.map(({ actor }) => actor);
  const names = await namesOf(store, 'admin_tokens', actors);
  const parents = await parentNames(store, lines);
  return lines.map((line) => {
    const { lineId, actor, role, kind, id, ...rest } = line;
    const canSeeClient = !isOwn || role === 'account';
    // An entry without a document is a sign-in event, and its subject is the user.
    const user = kind === 'user' && role === 'account' ? actor : undefined;
    const subjectName = nameIn(line.after) ?? nameIn(line.before) ?? parents.get(parentIdOf(line) ?? '') ?? user;
    const subject = { subjectKind: kind, subjectId: id, subjectName };
    const client = canSeeClient ? {} : { address: undefined, device: undefined };
    return documentAs(schema.shape, {
      id: lineId,
      actor,
      actorName: names.get(actor),
      role,
      ...subject,
      ...rest,
      ...client,
    });
  });
}

/** The name of the subject or the address it is for, from its document. Code batches have a note instead. */
function nameIn(document: unknown): string | undefined {
  const { name, email, note } = (document ?? {}) as Readonly<Partial<Record<'name' | 'email' | 'note', unknown>>>;
  return [name, email, note].find((each): each is string => typeof each === 'string' && each !== '');
}

/** Kinds of subjects that have the id of their account. */
const accountSettings: readonly string[] = ['balance', 'alerts', 'card', 'auto-top-up'];

/** The id of the parent that gives a nameless subject its name: an account, or the webhook of a delivery. */
function parentIdOf({ kind, id, before, after }: AuditLine): string | undefined {
  if (accountSettings.includes(kind)) return id;
  if (kind !== 'delivery') return undefined;
  const { webhook_id: webhook } = (after ?? before ?? {}) as { readonly webhook_id?: unknown };
  return typeof webhook === 'string' ? webhook : undefined;
}

async function parentNames(store: Store, lines: readonly AuditLine[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(lines.map(parentIdOf))].filter((id) => id !== undefined);
  return new Map([...(await namesOf(store, 'accounts', ids)), ...(await namesOf(store, 'delivery_endpoints', ids))]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escapeFormula(typeof value === 'string' ? value : JSON.stringify(value));
}

const account = idSchema.optional().describe('Only entries that concern this account, by its id.');

export const auditEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/audit', 'listAuditLines', 'read-only', {
    summary: 'List audit log entries, newest first: changes through this API or by command, and sign-in events.',
    query: z.strictObject({ account, ...auditQuery }),
    reply: auditReply,
    run: ({ parts: { store }, query: { account: of, ...query } }) =>
      auditPage({ store, account: of, isOwn: false }, query),
  }),
  readEndpoint('GET /admin/v1/audit.csv', 'exportAuditLines', 'read-only', {
    summary: 'Export audit log entries as CSV.',
    query: z.strictObject({ account, ...auditFilter }),
    ...auditTable,
    run: ({ parts: { store }, query: { account: of, ...query } }) =>
      auditCsv({ store, account: of, isOwn: false }, query),
  }),
  readEndpoint('GET /account/v1/audit', 'listOwnAuditLines', 'account', {
    summary:
      'List audit log entries of your account, newest first: changes, and sign-in events of its members. Owners only.',
    query: z.strictObject(auditQuery),
    reply: auditReply,
    run: ({ parts, caller, query }) => auditPage(ownView(parts, caller), query),
  }),
  readEndpoint('GET /account/v1/audit.csv', 'exportOwnAuditLines', 'account', {
    summary: 'Export audit log entries of your account as CSV.',
    query: z.strictObject(auditFilter),
    ...auditTable,
    run: ({ parts, caller, query }) => auditCsv(ownView(parts, caller), query),
  }),
];

/** Addresses and sign-in times of members are visible to owners only. */
function ownView({ store }: AdminParts, caller: AdminCaller) {
  return { store, account: managedAccount(caller, 'audit_needs_owner'), isOwn: true };
}
