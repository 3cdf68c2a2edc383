import { z } from 'zod';
import { type AuditLine, auditLines } from './audit.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { page, pageOf, pageQuery } from './page.ts';
import { isoTime, periodQuery, timeSchema } from './wire.ts';

const schema = z.strictObject({
  id: z.int(),
  at: timeSchema,
  actor: z.string().describe('The id of a token, or `cli`.'),
  role: z.string(),
  action: z.string().describe('The operation of this document, or the command.'),
  subject_kind: z.string(),
  subject_id: z.string(),
  before: z.unknown().describe('Null if it did not exist.'),
  after: z.unknown().describe('Null if it no longer exists.'),
  request_id: z.string().nullable(),
});

const text = z.string().max(256).optional();

/** There is no way to write here: lines appear with the changes they tell of. */
export const auditEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/audit',
    operationId: 'listAuditLines',
    summary: 'Every change made here or by command, newest first.',
    access: 'read-only',
    query: z.strictObject({
      actor: text,
      action: text,
      subject_kind: text,
      subject_id: text,
      ...periodQuery,
      ...pageQuery(z.int()),
    }),
    reply: pageOf({ name: 'AuditLine', schema }),
    run: async ({ parts: { store }, query }) => {
      const { limit, cursor: before, subject_kind: kind, subject_id: id, ...filter } = query;
      const lines = await auditLines(store, { ...filter, kind, id, before, limit: limit + 1 });
      return page(lines, limit, { shown: document, position: ({ lineId }) => lineId });
    },
  }),
];

function document({ lineId, at, actor, role, action, kind, id, ...line }: AuditLine): z.input<typeof schema> {
  return {
    id: lineId,
    at: isoTime(at),
    actor,
    role,
    action,
    subject_kind: kind,
    subject_id: id,
    before: line.before ?? null,
    after: line.after ?? null,
    request_id: line.requestId ?? null,
  };
}
