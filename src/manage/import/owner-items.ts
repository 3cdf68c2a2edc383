import { accounts } from '../../money/accounts/accounts.ts';
import { addMember, changeMember, membersOf } from '../../money/accounts/members.ts';
import { addOrganisationMember, organisationMembers } from '../../money/accounts/organisation-members.ts';
import { organisations } from '../../money/accounts/organisations.ts';
import { createUser, userByEmail, userById } from '../../money/accounts/users.ts';
import type { AccountId, OrganisationId } from '../../money/accounts/ids.ts';
import type { Limit } from '../../core/limit.ts';
import { foreignPasswordHash } from '../../money/accounts/foreign-passwords.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { withSuffix } from 'chat-gateway-import/item-name.ts';
import type { PlannedAccount, PlannedLimit, PlannedOrganisation, PlannedUser } from 'chat-gateway-import/plan.ts';
import { type AppliedItems, applyItems } from './apply-items.ts';
import type { ApplyContext } from './context.ts';

export function applyOrganisations(context: ApplyContext): Promise<AppliedItems> {
  const book = organisations(context.store, context.clock);
  const terms = ({ displayName, models, limits, timeZone }: PlannedOrganisation) => ({
    displayName: displayName ?? null,
    models: models ?? null,
    limits: limits.map(limitOf),
    ...(timeZone !== undefined && { timeZone }),
  });
  return applyItems(
    context.plan.organisations,
    {
      kind: 'organisation',
      content: terms,
      current: async (id) => {
        const found = await book.find(id);
        return found && { name: found.displayName, models: found.models, limits: found.limits, zone: found.timeZone };
      },
      create: async (item) => {
        const name = await freeName(
          item,
          'organisation',
          context,
          async (each) => (await book.find(each)) === undefined,
        );
        return (await book.create({ name, ...terms(item) })).id;
      },
      change: (id, item) => book.change(id as OrganisationId, terms(item)),
    },
    context,
  );
}

interface OwnerNames {
  readonly organisations: ReadonlyMap<string, string>;
  readonly packageNames: ReadonlyMap<string, string>;
}

export function applyAccounts(context: ApplyContext, names: OwnerNames): Promise<AppliedItems> {
  const book = accounts(context.store, context.clock);
  const terms = (item: PlannedAccount) => ({
    displayName: item.displayName ?? null,
    packageName: names.packageNames.get(item.packageName) ?? item.packageName,
    billing: item.billing,
    limits: item.limits.map(limitOf),
    organisationId: (names.organisations.get(item.organisation ?? '') ?? null) as OrganisationId | null,
    ...(item.timeZone !== undefined && { timeZone: item.timeZone }),
  });
  return applyItems(
    context.plan.accounts,
    {
      kind: 'account',
      content: (item) => ({ ...terms(item), status: item.status }),
      current: async (id) => {
        const found = await book.find(id);
        if (!found) return undefined;
        const { displayName, packageName, billing, limits, organisationId, timeZone, status } = found;
        return { displayName, packageName, billing, limits, organisationId, timeZone, status };
      },
      create: async (item) => {
        const name = await freeName(item, 'account', context, async (each) => (await book.find(each)) === undefined);
        const { id } = await book.create({ name, ...terms(item) });
        if (item.status === 'suspended') await book.suspend(id);
        return id;
      },
      change: async (id, item) => {
        await book.change(id as AccountId, terms(item));
        await (item.status === 'suspended' ? book.suspend(id as AccountId) : book.resume(id as AccountId));
      },
    },
    context,
  );
}

export function limitOf({ amount, period, notifyAt }: PlannedLimit): Limit {
  return { amount, period, notifyAt };
}

/** Items keep their name, unless another item of the gateway has it. */
async function freeName(
  { sourceId, name }: PlannedOrganisation | PlannedAccount,
  kind: 'organisation' | 'account',
  { findings }: ApplyContext,
  isFree: (name: string) => Promise<boolean>,
): Promise<string> {
  if (await isFree(name)) return name;
  const used = withSuffix(name, sourceId);
  findings.add('name_changed', { kind, sourceId }, { name, used });
  return used;
}

interface Owners {
  readonly organisations: ReadonlyMap<string, string>;
  readonly accounts: ReadonlyMap<string, string>;
}

/**
 * A person who can sign in here already keeps the password. Roles are added, and never taken away. A user who has not
 * confirmed the address may be another person, and gets none.
 */
export function applyUsers(context: ApplyContext, owners: Owners): Promise<AppliedItems> {
  const { store, clock, findings } = context;
  return applyItems(
    context.plan.users,
    {
      kind: 'user',
      content: ({ email, memberships, organisations: roles }) => ({ email, memberships, roles }),
      current: async (id) => {
        if (!(await userById(store.db, id))) return undefined;
        return rolesOf(context, id);
      },
      create: async (item) => {
        const known = await userByEmail(store.db, item.email);
        if (known?.isVerified === false) {
          throw new GatewayError('conflict', { reason: reason('import_address_unconfirmed', { email: item.email }) });
        }
        if (known) findings.add('user_exists', { kind: 'user', sourceId: item.sourceId }, { email: item.email });
        const { email, displayName = item.email, password } = item;
        const passwordHash = password && foreignPasswordHash(password.form, password.hash.reveal());
        const user =
          known ?? (await createUser(store.db, clock, { email, name: displayName, passwordHash, isVerified: false }));
        if (!known && !passwordHash) findings.add('reset_needed', { kind: 'user', sourceId: item.sourceId }, { email });
        await setRoles(context, user.id, item, owners);
        return user.id;
      },
      change: (id, item) => setRoles(context, id, item, owners),
    },
    context,
  );
}

async function setRoles(
  { store, clock }: ApplyContext,
  userId: string,
  item: PlannedUser,
  owners: Owners,
): Promise<void> {
  for (const { organisation, role } of item.organisations) {
    const id = owners.organisations.get(organisation);
    if (id === undefined) continue;
    const isOwner = (await organisationMembers(store.db, id)).some(
      (each) => each.userId === userId && each.role === 'owner',
    );
    if (!isOwner) await addOrganisationMember(store, clock, { id, userId, role });
  }
  for (const { account, role, limits, models, maxConcurrency } of item.memberships) {
    const accountId = owners.accounts.get(account);
    if (accountId === undefined) continue;
    const known = (await membersOf(store.db, accountId)).find((each) => each.userId === userId);
    if (!known) await addMember(store, clock, { accountId, userId, role });
    const terms = { limits: limits.map(limitOf), models: models ?? null, maxConcurrency: maxConcurrency ?? null };
    await changeMember(store, { accountId, userId, ...terms });
  }
}

/** The roles of a user in imported accounts, for the comparison with those of the last import. */
async function rolesOf({ store, provenance }: ApplyContext, userId: string): Promise<unknown> {
  const rows = await store.db
    .selectFrom('console_members')
    .select(['account_id', 'role', 'limits', 'models', 'max_concurrency'])
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute();
  return rows.filter((row) => provenance.hasSubject('account', row.account_id));
}
