import { z } from 'zod';
import { namesOf } from '../accounts/names.ts';
import type { Store } from '../store/store.ts';
import { type AuditLine, auditLines } from './audit.ts';
import { csvLine, harmless } from './csv.ts';
import { page, pageOf, pageQuery } from './page.ts';
import { refused } from './sent-values.ts';
import { isoTime, periodQuery, timeSchema } from './wire.ts';
import { reason } from '../core/reasons/reason.ts';

const schema = z.strictObject({
  id: z.int(),
  at: timeSchema,
  actor: z.string().describe('The id of a token, the e-mail address of a user, or `cli`.'),
  actor_name: z.string().nullable().describe('What the token is called.'),
  role: z.string(),
  action: z.string().describe('The operation of this document, the command, or what someone did about their way in.'),
  subject_kind: z.string(),
  subject_id: z.string(),
  subject_name: z.string().nullable().describe('What people call it, or whom it is for.'),
  before: z.unknown().describe('Null if it did not exist.'),
  after: z.unknown().describe('Null if it no longer exists.'),
  address: z
    .string()
    .nullable()
    .describe('Where it came from; null for commands, and for what was done before this was kept.'),
  device: z.string().nullable().describe('What the client called itself in `user-agent`.'),
  request_id: z.string().nullable(),
});

type AuditDocument = z.input<typeof schema>;

export const auditReply = pageOf({ name: 'AuditLine', schema });
export const auditTableReply = { name: 'AuditTable', schema: z.string() };

const text = z.string().max(256).optional();

/** How lines may be looked for. */
export const auditFilter = { actor: text, action: text, subject_kind: text, subject_id: text, ...periodQuery };
export const auditQuery = { ...auditFilter, ...pageQuery(z.int()) };

type AuditQuery = z.output<z.ZodObject<typeof auditFilter>>;

/** Whose log it is: the whole gateway's, or that of an account, whose owners are not told where operators sit. */
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

/** What fits into memory and a spreadsheet without anybody waiting for it. */
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

/** The same as a table, newest first. All of it or a refusal: half a table looks like a whole one. */
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
  const others = await namesOfOthers(store, lines);
  return lines.map(({ lineId, at, actor, role, action, kind, id, ...line }) => {
    const isTold = !isOwn || role === 'account';
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
        others.get(otherIn({ kind, id, ...line }) ?? '') ??
        // What has no document was done by people about their own way in.
        (kind === 'user' && role === 'account' ? actor : null),
      before: line.before ?? null,
      after: line.after ?? null,
      address: isTold ? (line.address ?? null) : null,
      device: isTold ? (line.device ?? null) : null,
      request_id: line.requestId ?? null,
    };
  });
}

/** What people call the thing, or whom it is for, where its document says so; codes go by their note. */
function nameIn(document: unknown): string | undefined {
  const { name, email, note } = (document ?? {}) as Readonly<Partial<Record<'name' | 'email' | 'note', unknown>>>;
  return [name, email, note].find((each): each is string => typeof each === 'string' && each !== '');
}

/** What has no name of its own is called by that to which it belongs: money by its account, a delivery by its webhook. */
function otherIn({ kind, id, before, after }: Pick<AuditLine, 'kind' | 'id' | 'before' | 'after'>): string | undefined {
  if (kind === 'balance' || kind === 'alerts') return id;
  if (kind !== 'delivery') return undefined;
  const { webhook_id: webhook } = (after ?? before ?? {}) as { readonly webhook_id?: unknown };
  return typeof webhook === 'string' ? webhook : undefined;
}

async function namesOfOthers(store: Store, lines: readonly AuditLine[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(lines.map(otherIn))].filter((id) => id !== undefined);
  return new Map([...(await namesOf(store, 'accounts', ids)), ...(await namesOf(store, 'receivers', ids))]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}
