import { z } from 'zod';
import { GatewayError } from '../../core/gateway-error.ts';
import { auditCsv, auditFilter, auditPage, auditQuery, auditReply, auditTableReply } from './audit-documents.ts';
import { type AdminCaller, ownAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { idSchema } from '../api/wire.ts';
import { reason } from '../../core/reasons/reason.ts';

const account = idSchema.optional().describe('Only entries that concern this account, by its id.');
const media = { type: 'text/csv', fileName: 'audit.csv' } as const;

/** Read-only. Each entry is written together with the change it describes. */
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
    reply: auditTableReply,
    media,
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
    reply: auditTableReply,
    media,
    run: ({ parts, caller, query }) => auditCsv(ownView(parts, caller), query),
  }),
];

/** Addresses and sign-in times of members are visible to owners only. */
function ownView({ store }: AdminParts, caller: AdminCaller) {
  if (caller.memberRole !== 'owner') {
    throw new GatewayError('forbidden', { reason: reason('audit_needs_owner') });
  }
  return { store, account: ownAccount(caller), isOwn: true };
}
