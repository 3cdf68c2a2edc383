import { z } from 'zod';
import { namesOf } from '../../accounts/names.ts';
import type { Store } from '../../store/store.ts';
import { type AuditLine, auditLines } from './audit.ts';
import { csvLine, escapeFormula } from '../api/csv.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { refused } from '../api/sent-values.ts';
import { isoTime, periodQuery, timeSchema } from '../api/wire.ts';
import { reason } from '../../core/reasons/reason.ts';

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

export const auditReply = pageOf({ name: 'AuditLine', schema });
export const auditTableReply = { name: 'AuditTable', schema: z.string() };

const text = z.string().max(256).optional();

export const auditFilter = { actor: text, action: text, subject_kind: text, subject_id: text, ...periodQuery };
export const auditQuery = { ...auditFilter, ...pageQuery(z.int()) };

type AuditQuery = z.output<z.ZodObject<typeof auditFilter>>;

/** The log of the gateway or of one account. Owners of an account do not see addresses and devices of operators. */
export interface AuditView {
  readonly store: Store;
  readonly account?: string | undefined;
  readonly isOwn: boolean;
}

export async function auditPage(view: AuditView, query: AuditQuery & { limit: number; cursor?: number | undefined }) {
  const { limit, cursor, ...filter } = query;
  const lines = await linesOf(view, filter, { before: cursor, limit: limit + 1 });
  const { data, next } = page(lines, limit, { shown: (line) => line, position: ({ lineId }) => lineId });
  return { data: await documents(view, data), next };
}

/** Fits into memory and a spreadsheet, and is quick to build. */
const tableLinesMax = 50_000;
const linesPerRead = 1000;

const columns = [
  'at',
  'actor',
  'actor_name',
  'role',
  'action',
  'subject_kind',
  'subject_id',
  'subject_name',
  'address',
  'device',
  'before',
  'after',
  'request_id',
] as const;

/** The same as CSV, newest first. Throws instead of truncating: half a table looks like a whole one. */
export async function auditCsv(view: AuditView, filter: AuditQuery): Promise<string> {
  const rows = [csvLine(columns)];
  for (let before: number | undefined; ; ) {
    const lines = await linesOf(view, filter, { before, limit: linesPerRead });
    for (const document of await documents(view, lines))
      rows.push(csvLine(columns.map((name) => cell(document[name]))));
    if (rows.length > tableLinesMax) {
      throw refused(reason('too_many_lines', { max: tableLinesMax }));
    }
    before = lines.at(-1)?.lineId;
    if (before === undefined || lines.length < linesPerRead) return `${rows.join('\r\n')}\r\n`;
  }
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
  const names = await namesOf(
    store,
    'admin_tokens',
    lines.map(({ actor }) => actor),
  );
  const parents = await parentNames(store, lines);
  return lines.map(({ lineId, at, actor, role, action, kind, id, ...line }) => {
    const canSeeClient = !isOwn || role === 'account';
    return {
      id: lineId,
      at: isoTime(at),
      actor,
      actor_name: names.get(actor) ?? null,
      role,
      action,
      subject_kind: kind,
      subject_id: id,
      subject_name:
        nameIn(line.after) ??
        nameIn(line.before) ??
        parents.get(parentIdOf({ kind, id, ...line }) ?? '') ??
        // An entry without a document is a sign-in event, and its subject is the user.
        (kind === 'user' && role === 'account' ? actor : null),
      before: line.before ?? null,
      after: line.after ?? null,
      address: canSeeClient ? (line.address ?? null) : null,
      device: canSeeClient ? (line.device ?? null) : null,
      request_id: line.requestId ?? null,
    };
  });
}

/** The name of the subject or the address it is for, from its document. Code batches have a note instead. */
function nameIn(document: unknown): string | undefined {
  const { name, email, note } = (document ?? {}) as Readonly<Partial<Record<'name' | 'email' | 'note', unknown>>>;
  return [name, email, note].find((each): each is string => typeof each === 'string' && each !== '');
}

/** The id of the parent that gives a nameless subject its name: an account, or the webhook of a delivery. */
function parentIdOf({
  kind,
  id,
  before,
  after,
}: Pick<AuditLine, 'kind' | 'id' | 'before' | 'after'>): string | undefined {
  if (kind === 'balance' || kind === 'alerts') return id;
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
