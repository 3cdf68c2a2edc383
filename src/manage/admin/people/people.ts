import { z } from 'zod';
import { listPeople, type Person } from '../../../money/accounts/people.ts';
import { memberRoles } from '../../../money/accounts/members.ts';
import { organisationRoles } from '../../../money/accounts/organisation-members.ts';
import { type OperatorRole, operatorRoles } from '../../../money/accounts/operators.ts';
import { mayReset } from '../../../money/accounts/resets.ts';
import { renameUser } from '../../../money/accounts/users.ts';
import { displayName } from '../../../platform/config/schema/values/display-name.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { AdminCaller } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { missing } from '../api/sent-values.ts';
import type { Store } from '../../../platform/store/store.ts';
import { madeResetReply, makeReset, newResetBody } from './reset-documents.ts';
import type { Versioned } from '../api/versioned.ts';
import { versionSchema } from '../api/wire.ts';

const schema = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  two_factor: z.boolean().describe('Whether sign-in requires a code after the password.'),
  operator: z.enum(operatorRoles).nullable(),
  accounts: z.array(z.strictObject({ id: z.string(), name: z.string(), role: z.enum(memberRoles) })),
  organisations: z.array(z.strictObject({ id: z.string(), name: z.string(), role: z.enum(organisationRoles) })),
  version: versionSchema,
});

const versionedPerson: Versioned = {
  kind: 'user',
  lock: 'people',
  current: async ({ store }, id) => auditFields(await personAt(store, id)),
};

export const peopleEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/people', 'listPeople', 'read-only', {
    summary: 'List the users of the dashboard, by e-mail address.',
    query: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(254)
        .optional()
        .describe('Only users whose name or address contains this text, ignoring case.'),
      ...pageQuery(z.string().max(254)),
    }),
    reply: pageOf({ name: 'Person', schema }),
    run: async ({ parts, query: { limit, cursor, q } }) => {
      const people = await listPeople(parts.store.db, { search: q, after: cursor, limit: limit + 1 });
      return page(people, limit, { shown: personDocument, position: ({ email }) => email });
    },
  }),
  readEndpoint('GET /admin/v1/people/:id', 'getPerson', 'read-only', {
    summary: 'Get a user of the dashboard.',
    reply: { name: 'Person', schema },
    run: ({ parts: { store }, id }) => personAt(store, id),
  }),
  writeEndpoint('PATCH /admin/v1/people/:id', 'changePerson', 'operator', {
    versioned: versionedPerson,
    summary: 'Rename a user. Operators cannot rename operators with a higher role.',
    body: { name: 'PersonChange', schema: z.strictObject({ name: displayName }) },
    reply: { name: 'Person', schema },
    run: async ({ parts: { store, clock }, caller, id, body }) => {
      const before = await personAt(store, id);
      if (!(await mayReset(store.db, { operator: operatorRoleIn(caller) }, id))) throw new GatewayError('forbidden');
      await renameUser(store.db, clock, { userId: id, ...body });
      const after = await personAt(store, id);
      return { reply: after, change: { kind: 'user', id, before: auditFields(before), after: auditFields(after) } };
    },
  }),
  writeEndpoint('POST /admin/v1/people/:id/reset', 'resetPerson', 'operator', {
    summary: 'Create a link with which a user can sign in again. It works once, for three hours.',
    body: newResetBody,
    reply: madeResetReply,
    run: ({ parts, caller, id, body, address }) => {
      const right = { operator: operatorRoleIn(caller) };
      return makeReset(parts, caller, { userId: id, right, address, ...body });
    },
  }),
];

function operatorRoleIn({ role }: AdminCaller): OperatorRole {
  if (role === 'account' || role === 'organisation') throw new GatewayError('forbidden');
  return role;
}

async function personAt(store: Store, id: string): Promise<z.input<typeof schema>> {
  const [person] = await listPeople(store.db, { id, limit: 1 });
  if (!person) throw missing('user');
  return personDocument(person);
}

function auditFields({ name, email, version }: z.input<typeof schema>) {
  return { name, email, version };
}

function personDocument({ id, email, name, hasTwoFactor, operator, ...person }: Person): z.input<typeof schema> {
  const accounts = person.memberships.map((each) => ({ id: each.accountId, name: each.accountName, role: each.role }));
  const organisations = person.organisations.map(({ organisationId, organisationName, role }) => ({
    id: organisationId,
    name: organisationName,
    role,
  }));
  // Only the name can be changed here. If the user joins an account meanwhile, the version stays valid.
  const version = contentVersion({ id, email, name });
  return { id, email, name, two_factor: hasTwoFactor, operator: operator ?? null, accounts, organisations, version };
}
