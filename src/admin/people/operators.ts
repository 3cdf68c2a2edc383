import { z } from 'zod';
import { withdrawResets } from '../../accounts/one-time-links.ts';
import { changeOperatorRole, listOperators, operatorRoles, removeOperator } from '../../accounts/operators.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import {
  invitationList,
  invitationListReply,
  invitationReply,
  invite,
  invitedEmail,
  madeInvitationReply,
  withdrawInvitation,
} from './invitation-documents.ts';
import { roleHolders } from './role-holders.ts';
import { missing } from '../api/sent-values.ts';
import type { Store } from '../../store/store.ts';
import type { Versioned } from '../api/versioned.ts';

const role = z.enum(operatorRoles);

const { schema, shown: operatorDocument, at } = roleHolders(role, 'operator');

const versioned: Versioned = {
  kind: 'operator',
  lock: 'operators',
  current: ({ store }, id) => operatorAt(store, id),
};

/** The operators of the gateway. Only owners manage them. */
export const operatorEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/operators', 'listOperators', 'owner', {
    summary: 'List the operators of the gateway, oldest first.',
    reply: { name: 'OperatorList', schema: z.strictObject({ data: z.array(schema) }) },
    run: async ({ parts }) => ({ data: (await listOperators(parts.store.db)).map(operatorDocument) }),
  }),
  writeEndpoint('PATCH /admin/v1/operators/:id', 'changeOperator', 'owner', {
    versioned,
    summary: 'Change the role of an operator. The last owner must stay an owner.',
    body: { name: 'OperatorChange', schema: z.strictObject({ role }) },
    reply: { name: 'Operator', schema },
    run: async ({ parts: { store }, id, body }) => {
      const changed = await changeOperatorRole(store, { userId: id, ...body });
      if (!changed) throw missing('operator');
      // Reset links that the operator created with a higher role must stop working.
      await withdrawResets(store.db, { createdBy: changed.before.email });
      const [before, after] = [operatorDocument(changed.before), operatorDocument(changed.after)];
      return { reply: after, change: before.role === after.role ? undefined : { kind: 'operator', id, before, after } };
    },
  }),
  writeEndpoint('DELETE /admin/v1/operators/:id', 'removeOperator', 'owner', {
    summary: 'Remove an operator, effective immediately. The last owner cannot be removed.',
    reply: { name: 'Operator', schema },
    run: async ({ parts: { store }, id }) => {
      const operator = await removeOperator(store, id);
      if (!operator) throw missing('operator');
      await withdrawResets(store.db, { createdBy: operator.email });
      const before = operatorDocument(operator);
      return { reply: before, change: { kind: 'operator', id, before } };
    },
  }),
  readEndpoint('GET /admin/v1/operators/invitations', 'listOperatorInvitations', 'owner', {
    summary: 'List the open invitations for operators.',
    reply: invitationListReply,
    run: ({ parts }) => invitationList(parts, undefined),
  }),
  readEndpoint('GET /admin/v1/operators/:id', 'getOperator', 'owner', {
    summary: 'Get an operator.',
    reply: { name: 'Operator', schema },
    run: ({ parts: { store }, id }) => operatorAt(store, id),
  }),
  writeEndpoint('POST /admin/v1/operators/invitations', 'inviteOperator', 'owner', {
    summary: 'Invite an operator: create a link that works once, for seven days.',
    body: { name: 'NewOperatorInvitation', schema: z.strictObject({ email: invitedEmail, role }) },
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) => invite(parts, caller, { kind: 'operator', ...body }, address),
  }),
  writeEndpoint('DELETE /admin/v1/operators/invitations/:id', 'withdrawOperatorInvitation', 'owner', {
    summary: 'Withdraw an invitation for an operator.',
    reply: invitationReply,
    run: ({ parts, id }) => withdrawInvitation(parts, id, undefined),
  }),
];

function operatorAt({ db }: Store, id: string) {
  return at(listOperators(db), id);
}
