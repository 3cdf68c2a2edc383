import { z } from 'zod';
import { type Account, accounts, rankedAccounts } from '../../../money/accounts/accounts.ts';
import { credits } from '../../../money/billing/ledger/credits.ts';
import { recentDays, recentSpan } from '../../../money/billing/ledger/spend.ts';
import { closest } from '../../../platform/config/file/closest.ts';
import { amount } from '../../../platform/config/schema/values/decimal.ts';
import { spendLimits } from '../../../platform/config/schema/spend-limit.ts';
import { displayName } from '../../../platform/config/schema/values/display-name.ts';
import { timeZone } from '../../../platform/config/schema/key-limits.ts';
import { name } from '../../../platform/config/schema/names.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { decimalText, type Nano, nanoFrom } from '../../../core/money.ts';
import type { AccountId } from '../../../money/accounts/ids.ts';
import type { AdminCaller } from '../api/caller.ts';
import { accountFigures } from './account-figures.ts';
import { limitEntries, limitsDocument, limitsField, limitWindows, windowsField } from '../limits/limit-documents.ts';
import { organisationOf } from './organisation-documents.ts';
import { namesOf } from '../../../money/accounts/names.ts';
import { type Endpoint, type SchemaEntry, type WriteOutcome, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused, invalidField } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import { storedResources } from '../api/stored-resources.ts';
import {
  documentAs,
  idSchema,
  isoTimeOrNull,
  moneySchema,
  recordFrom,
  timeSchema,
  versionSchema,
} from '../api/wire.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';

const billingMode = z.enum(['prepaid', 'postpaid']);

const content = {
  id: z.string(),
  name: z.string().describe('Name in files and commands. It never changes.'),
  display_name: z.string().nullable().describe('Name for people, in any script. Null: `name` is shown.'),
  package: z.string().describe('The package, which decides what the account may use.'),
  status: z.enum(['active', 'suspended']),
  time_zone: z
    .string()
    .describe('Time zone in which its days, weeks and months begin, and in which the spend caps of its keys reset.'),
  billing: billingMode.describe(
    '`prepaid`: requests are refused when the balance is used up. `postpaid`: the balance may be negative.',
  ),
  ...limitsField,
  organisation_id: z.string().nullable().describe('The organisation that it belongs to.'),
  source: z.enum(['file', 'store']).describe('`file`: the configuration file sets its package.'),
  created_at: timeSchema,
};

const terms = { ...content, version: versionSchema };

const schema = z.strictObject({
  ...terms,
  ...windowsField,
  organisation: z.string().nullable().describe('Name of its organisation.'),
  balance: moneySchema.describe('The `total` of its balance.'),
  open_amount: moneySchema.describe('The amount that the account owes: its negative balance, or 0.'),
  low_balance: moneySchema.nullable().describe('Balance at which `balance.low` is sent. Null: never.'),
  recent_spend: moneySchema.describe(`Charged in the last ${recentDays} days, from the ledger.`),
  keys: z.int().describe('Number of keys that are not revoked.'),
  last_used_at: timeSchema.nullable().describe('Last use of any of its keys, up to a minute late.'),
});

type AccountTerms = z.input<z.ZodObject<typeof terms>>;
type AccountDocument = z.input<typeof schema>;

export const accountReply = { name: 'Account', schema, inside: limitEntries };

export async function accountDocument(parts: AdminParts, account: Account): Promise<AccountDocument> {
  const [document] = await accountDocuments(parts, [account]);
  return document as AccountDocument;
}

export async function accountDocuments(
  { store, clock }: AdminParts,
  listed: readonly Account[],
): Promise<readonly AccountDocument[]> {
  const ids = listed.map(({ id }) => id);
  const figures = await accountFigures(store, ids, clock.now());
  const windows = await limitWindows(
    { store, clock },
    listed.map((account) => ({ ...account, scope: 'account', subjectId: account.id, accountId: account.id })),
  );
  const organisations = await namesOf(
    store,
    'organisations',
    listed.map(({ organisationId }) => organisationId ?? null),
  );
  return listed.map((account, index) => {
    const { balance, lowBalance, recentSpend, keys, lastUsedAt } = figures(account.id);
    const money = {
      balance: decimalText(balance),
      open_amount: decimalText(openAmount(balance)),
      low_balance: lowBalance === null ? null : decimalText(lowBalance),
      recent_spend: decimalText(recentSpend),
    };
    const organisation = organisations.get(account.organisationId ?? '') ?? null;
    const read = { windows: windows[index] ?? [], organisation, keys, last_used_at: isoTimeOrNull(lastUsedAt) };
    return { ...termsDocument(account), ...money, ...read };
  });
}

/** An account without its balance and use. The audit log compares these documents. */
function termsDocument(account: Account): AccountTerms {
  const fields = {
    ...documentAs(content, { ...account, package: account.packageName, limits: [] }),
    limits: limitsDocument(account.limits),
  };
  return { ...fields, version: contentVersion(fields) };
}

/** What an account owes: its negative balance. */
export function openAmount(balance: Nano): Nano {
  return balance < 0n ? -balance : 0n;
}

/** Throws `account_not_found` unless an account has this id. */
export async function accountAt({ store, clock }: AdminParts, id: string): Promise<Account> {
  const account = await accounts(store, clock).find(id);
  // `find` also accepts a name, and a name may look like an id. Here only the id counts.
  if (account?.id !== id) throw missing('account');
  return account;
}

/** `If-Match` for writes to the account in the path, or to the caller's own account. */
export function versionedAccount(ownAccount?: (caller: AdminCaller) => AccountId): Versioned {
  return {
    kind: 'account',
    lock: 'accounts',
    current: async (parts, id, caller) => termsDocument(await accountAt(parts, ownAccount?.(caller) ?? id)),
  };
}

/** The terms that only operators set. */
const newTermsFields = {
  billing: billingMode.optional().describe('`prepaid` by default.'),
  limits: spendLimits.optional().describe('Limits on its spend per day, week or month, or in total. `[]`: none.'),
  organisation: idSchema.optional().describe('Id or name of an organisation.'),
};

export const accountEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/accounts', 'listAccounts', 'read-only', {
    summary: 'List accounts, by name unless `sort` is given.',
    query: z.strictObject({
      name: z.string().max(64).optional().describe('Only the account with this name.'),
      q: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('Only accounts whose name or display name contains this text, ignoring case.'),
      sort: z
        .enum(['name', 'balance', 'lowest_balance', 'spend', 'lowest_spend', 'last_used'])
        .default('name')
        .describe(
          `\`balance\` and \`spend\`: highest first. \`lowest_balance\` and \`lowest_spend\`: lowest first. \`last_used\`: most recent first. Spend is that of the last ${recentDays} days.`,
        ),
      status: z.enum(['active', 'suspended']).optional().describe('Only accounts with this status.'),
      package: z.string().max(64).optional().describe('Only accounts of this package.'),
      organisation: idSchema.optional().describe('Only accounts of the organisation with this id.'),
      ...pageQuery(z.tuple([z.string().regex(/^-?\d{0,18}$/), z.string()])),
    }),
    reply: pageOf(accountReply),
    run: async ({
      parts,
      query: { limit, cursor, package: packageName, organisation, q: search, sort, ...filter },
    }) => {
      const [rank, after] = cursor ?? [];
      if (cursor && (rank === '') !== (sort === 'name')) throw invalidField('cursor', broken('cursor_of_other_order'));
      const part = { ...filter, search, packageName, organisationId: organisation, limit: limit + 1 };
      const rows =
        sort === 'name'
          ? (await accounts(parts.store, parts.clock).list({ ...part, after })).map((account) => ({
              account,
              rank: '',
            }))
          : await rankedAccounts(parts.store, {
              ...part,
              by: sort,
              spentWithin: recentSpan(parts.clock.now()),
              ...(rank && after && { after: [rank, after] }),
            });
      const { data, next } = page(rows, limit, {
        shown: ({ account }) => account,
        position: (row) => [row.rank, row.account.name],
      });
      return { data: [...(await accountDocuments(parts, data))], next };
    },
  }),
  readEndpoint('GET /admin/v1/accounts/:id', 'getAccount', 'read-only', {
    summary: 'Get an account.',
    reply: accountReply,
    run: async ({ parts, id }) => accountDocument(parts, await accountAt(parts, id)),
  }),
  writeEndpoint('POST /admin/v1/accounts', 'createAccount', 'operator', {
    summary: 'Create an account, optionally with credit.',
    body: named('NewAccount', {
      name,
      display_name: displayName.optional().describe('Name for people, in any script.'),
      package: name.default('standard').describe('The package, which decides what the account may use.'),
      credit: amount.optional().describe('Granted immediately.'),
      time_zone: timeZone.optional().describe('Time zone in which its days begin. Default: UTC.'),
      ...newTermsFields,
    }),
    reply: accountReply,
    run: async ({ parts, caller, body }) => {
      const book = accounts(parts.store, parts.clock);
      if (await book.find(body.name)) throw invalidField('name', broken('account_name_taken'), 'Choose another name.');
      await requirePackage(parts, body.package);
      const { package: packageName, organisation, credit: _, ...terms } = body;
      const organisationId = await organisationOf(parts, organisation);
      const account = await book.create({ ...recordFrom(terms), packageName, organisationId });
      if (body.credit !== undefined) {
        await credits(parts.store, parts.clock).grant({
          accountId: account.id,
          amount: nanoFrom(body.credit),
          reference: `first credit of ${account.id}`,
          by: caller.bookedBy ?? caller.actor,
          reason: 'credit of a new account',
        });
      }
      const after = { ...termsDocument(account), credit: body.credit };
      return { reply: await accountDocument(parts, account), change: { kind: 'account', id: account.id, after } };
    },
  }),
  writeEndpoint('PATCH /admin/v1/accounts/:id', 'changeAccount', 'operator', {
    versioned: versionedAccount(),
    summary:
      'Change the package, billing, limits, organisation, time zone or display name of an account. Fields that are left out stay unchanged.',
    body: named('AccountChange', {
      package: name.optional().describe('The new package, which decides what the account may use.'),
      time_zone: timeZone
        .optional()
        .describe('Time zone in which its days, weeks and months begin. Limits keep their current period.'),
      display_name: displayName.nullable().optional().describe('Name for people. Null: `name` is shown.'),
      ...newTermsFields,
      organisation: newTermsFields.organisation.nullable().describe('Id or name of an organisation. Null: none.'),
    }),
    reply: accountReply,
    run: (call) =>
      changed(call, async (book, account) => {
        const { package: packageName, organisation, ...terms } = call.body;
        if (packageName !== undefined) {
          if (account.source === 'file') throw refused(reason('package_owned_by_file'));
          await requirePackage(call.parts, packageName);
        }
        const organisationId = await organisationOf(call.parts, organisation);
        await book.change(account.id, { ...recordFrom(terms), packageName, organisationId });
      }),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/suspend', 'suspendAccount', 'operator', {
    versioned: versionedAccount(),
    summary: 'Suspend an account: refuse its keys from now on. Nothing is deleted.',
    reply: accountReply,
    run: (call) => changed(call, (book, { id }) => book.suspend(id)),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/terminate', 'terminateAccount', 'operator', {
    versioned: versionedAccount(),
    summary: 'Terminate an account: refuse its keys from now on, and abort its running requests within seconds.',
    reply: accountReply,
    run: (call) => changed(call, (book, { id }) => book.suspend(id, { terminateStreams: true })),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/resume', 'resumeAccount', 'operator', {
    versioned: versionedAccount(),
    summary: 'Resume an account: accept its keys again.',
    reply: accountReply,
    run: (call) => changed(call, (book, { id }) => book.resume(id)),
  }),
];

function named<Shape extends z.ZodRawShape>(
  title: string,
  shape: Shape,
): SchemaEntry<z.ZodObject<Shape, z.core.$strict>> {
  return { name: title, schema: z.strictObject(shape) };
}

/** Throws unless a package has this name. A store that no gateway has used has no packages yet: any name fits. */
export async function requirePackage(parts: AdminParts, wanted: string): Promise<void> {
  const names = (await storedResources(parts).list('package')).map((each) => each.name);
  if (names.length === 0 || names.includes(wanted)) return;
  throw invalidField('package', broken('no_such_package'), otherName(wanted, names, 'packages'));
}

export function otherName(wanted: string, names: readonly string[], section: string): string {
  const similar = closest(wanted, names);
  return similar === undefined ? `GET /admin/v1/${section} lists them.` : `Did you mean \`${similar}\`?`;
}

async function changed(
  { parts, id }: { readonly parts: AdminParts; readonly id: string },
  change: (book: ReturnType<typeof accounts>, account: Account) => Promise<void>,
): Promise<WriteOutcome & { reply: AccountDocument }> {
  const before = await accountAt(parts, id);
  await change(accounts(parts.store, parts.clock), before);
  return changedAccount(parts, before);
}

/** The reply to a write, and its audit change. `before` is the account before the write. */
export async function changedAccount(
  parts: AdminParts,
  before: Account,
): Promise<WriteOutcome & { readonly reply: AccountDocument }> {
  const account = await accountAt(parts, before.id);
  const [old, after] = [termsDocument(before), termsDocument(account)];
  return {
    reply: await accountDocument(parts, account),
    change: { kind: 'account', id: before.id, before: old, after },
  };
}
