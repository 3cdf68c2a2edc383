import { z } from 'zod';
import { withdrawLinksOf } from '../../../money/accounts/one-time-links.ts';
import { changeOperatorRole, listOperators, operatorRoles, removeOperator } from '../../../money/accounts/operators.ts';
import type { Store } from '../../../platform/store/store.ts';
import { type Endpoint, readEndpoint, type WriteOutcome, writeEndpoint } from '../api/endpoint.ts';
import { revokeTokensBy } from '../api/tokens.ts';
import type { Versioned } from '../api/versioned.ts';
import {
  invitationList,
  invitationListReply,
  invitationReply,
  invite,
  invitedEmail,
  madeInvitationReply,
  operatorScope,
  withdrawInvitation,
} from './invitation-documents.ts';
import { issuedBy, issuedEntry, issuedFields } from './issued-documents.ts';
import { roleHolders } from './role-holders.ts';

const operatorRole = z.enum(operatorRoles);
const operators = roleHolders(operatorRole, 'operator');

const versionedOperator: Versioned = {
  kind: 'operator',
  lock: 'operators',
  current: ({ store }, id) => operatorAt(store, id),
};

/** The operators of the gateway. Only owners manage them. */
export const operatorEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/operators', 'listOperators', 'owner', {
    summary: 'List the operators of the gateway, oldest first.',
    reply: { name: 'OperatorList', schema: operators.listSchema },
    run: ({ parts }) => operators.list(listOperators(parts.store.db)),
  }),
  writeEndpoint('PATCH /admin/v1/operators/:id', 'changeOperator', 'owner', {
    versioned: versionedOperator,
    summary:
      'Change the role of an operator. The operator’s open links end, and the tokens that a former owner created. The last owner must stay an owner.',
    body: { name: 'OperatorChange', schema: z.strictObject({ role: operatorRole }) },
    reply: { name: 'Operator', schema: operators.schema },
    run: async ({ parts: { store, clock }, id, body }) => {
      const changed = await changeOperatorRole(store, { userId: id, ...body });
      // Links that the operator created with a higher role must stop working.
      if (changed) await withdrawLinksOf(store.db, changed.before.email, operatorScope);
      const outcome = operators.changed(changed);
      if (!changed || outcome.reply.role === 'owner') return outcome;
      return withRevoked(outcome, await revokeTokensBy(store, clock, changed.before.email));
    },
  }),
  writeEndpoint('DELETE /admin/v1/operators/:id', 'removeOperator', 'owner', {
    summary:
      'Remove an operator, effective immediately. Tokens and open links that the operator created end, and open invitations for the operator. Keys and webhook endpoints stay and are listed. The last owner cannot be removed.',
    reply: { name: 'RemovedOperator', schema: operators.schema.extend(issuedFields), inside: [issuedEntry] },
    run: async ({ parts, id }) => {
      const { store, clock } = parts;
      const operator = await removeOperator(store, id);
      const { reply, change } = operators.removed(operator);
      await withdrawLinksOf(store.db, reply.email, operatorScope);
      const tokens = await revokeTokensBy(store, clock, reply.email);
      return withRevoked({ reply: { ...reply, ...(await issuedBy(parts, reply.email, 'operators')) }, change }, tokens);
    },
  }),
  readEndpoint('GET /admin/v1/operators/invitations', 'listOperatorInvitations', 'owner', {
    summary: 'List the open invitations for operators.',
    reply: invitationListReply,
    run: ({ parts }) => invitationList(parts, operatorScope),
  }),
  readEndpoint('GET /admin/v1/operators/:id', 'getOperator', 'owner', {
    summary: 'Get an operator.',
    reply: { name: 'Operator', schema: operators.schema },
    run: ({ parts: { store }, id }) => operatorAt(store, id),
  }),
  writeEndpoint('POST /admin/v1/operators/invitations', 'inviteOperator', 'owner', {
    summary: 'Invite an operator: create a link that works once, for seven days.',
    body: { name: 'NewOperatorInvitation', schema: z.strictObject({ email: invitedEmail, role: operatorRole }) },
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) => invite(parts, caller, { kind: 'operator', ...body }, address),
  }),
  writeEndpoint('DELETE /admin/v1/operators/invitations/:id', 'withdrawOperatorInvitation', 'owner', {
    summary: 'Withdraw an invitation for an operator.',
    reply: invitationReply,
    run: ({ parts, id }) => withdrawInvitation(parts, id, operatorScope),
  }),
];

/** The audit entry lists the tokens that ended. */
function withRevoked<Outcome extends WriteOutcome>(outcome: Outcome, tokens: readonly string[]): Outcome {
  const { change } = outcome;
  if (!change || tokens.length === 0) return outcome;
  const after = change.after === undefined ? {} : (change.after as object);
  return { ...outcome, change: { ...change, after: { ...after, revoked_tokens: tokens } } };
}

function operatorAt({ db }: Store, id: string) {
  return operators.at(listOperators(db), id);
}
