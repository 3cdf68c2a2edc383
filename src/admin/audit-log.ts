import { z } from 'zod';
import { GatewayError } from '../core/gateway-error.ts';
import { auditCsv, auditFilter, auditPage, auditQuery, auditReply, auditTableReply } from './audit-documents.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import { idSchema } from './wire.ts';
import { reason } from '../core/reasons/reason.ts';

const account = idSchema.optional().describe('Only what is the business of this account, by its id.');
const media = { type: 'text/csv', fileName: 'audit.csv' } as const;

/** There is no way to write here: lines appear with what they tell of. */
export const auditEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/audit',
    operationId: 'listAuditLines',
    summary: 'Every change made here or by command, and what people did about their way in, newest first.',
    access: 'read-only',
    query: z.strictObject({ account, ...auditQuery }),
    reply: auditReply,
    run: ({ parts: { store }, query: { account: of, ...query } }) =>
      auditPage({ store, account: of, isOwn: false }, query),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/audit.csv',
    operationId: 'exportAuditLines',
    summary: 'The same as a table for spreadsheets.',
    access: 'read-only',
    query: z.strictObject({ account, ...auditFilter }),
    reply: auditTableReply,
    media,
    run: ({ parts: { store }, query: { account: of, ...query } }) =>
      auditCsv({ store, account: of, isOwn: false }, query),
  }),
  reading({
    method: 'GET',
    path: '/account/v1/audit',
    operationId: 'listOwnAuditLines',
    summary: 'What was done in your account and by whom, and how its members signed in, newest first. For owners.',
    access: 'account',
    query: z.strictObject(auditQuery),
    reply: auditReply,
    run: ({ parts, caller, query }) => auditPage(ownView(parts, caller), query),
  }),
  reading({
    method: 'GET',
    path: '/account/v1/audit.csv',
    operationId: 'exportOwnAuditLines',
    summary: 'The same as a table for spreadsheets.',
    access: 'account',
    query: z.strictObject(auditFilter),
    reply: auditTableReply,
    media,
    run: ({ parts, caller, query }) => auditCsv(ownView(parts, caller), query),
  }),
];

/** Where people sit and when they come is for those to know who decide about them. */
function ownView({ store }: AdminParts, caller: AdminCaller) {
  if (caller.standing !== 'owner') {
    throw new GatewayError('forbidden', { reason: reason('audit_needs_owner') });
  }
  return { store, account: ownAccount(caller), isOwn: true };
}
