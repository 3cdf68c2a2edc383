import { z } from 'zod';
import { withdrawResets } from '../../accounts/one-time-links.ts';
import { changeOperatorRole, listOperators, operatorRoles, removeOperator } from '../../accounts/operators.ts';
import type { Store } from '../../store/store.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
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
    summary: 'Change the role of an operator. The last owner must stay an owner.',
    body: { name: 'OperatorChange', schema: z.strictObject({ role: operatorRole }) },
    reply: { name: 'Operator', schema: operators.schema },
    run: async ({ parts: { store }, id, body }) => {
      const changed = await changeOperatorRole(store, { userId: id, ...body });
      // Reset links that the operator created with a higher role must stop working.
      if (changed) await withdrawResets(store.db, { createdBy: changed.before.email });
      return operators.changed(changed);
    },
  }),
  writeEndpoint('DELETE /admin/v1/operators/:id', 'removeOperator', 'owner', {
    summary: 'Remove an operator, effective immediately. The last owner cannot be removed.',
    reply: { name: 'Operator', schema: operators.schema },
    run: async ({ parts: { store }, id }) => {
      const operator = await removeOperator(store, id);
      if (operator) await withdrawResets(store.db, { createdBy: operator.email });
      return operators.removed(operator);
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

function operatorAt({ db }: Store, id: string) {
  return operators.at(listOperators(db), id);
}
