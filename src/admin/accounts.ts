import { z } from 'zod';
import { type Account, accounts } from '../accounts/accounts.ts';
import { amount } from '../config/decimal.ts';
import { name } from '../config/names.ts';
import { nanoFrom } from '../core/money.ts';
import { type Call, type Endpoint, type Named, type Outcome, reading, writing } from './endpoint.ts';
import { page, pageOf, pageQuery } from './page.ts';
import type { AdminParts } from './parts.ts';
import { missing, refused } from './sent-values.ts';
import { isoTime, timeSchema } from './wire.ts';

const schema = z.strictObject({
  id: z.string(),
  name: z.string(),
  package: z.string().describe('What it may use.'),
  status: z.enum(['active', 'suspended']),
  source: z.enum(['file', 'store']).describe('`file`: the configuration file decides its package.'),
  created_at: timeSchema,
});

export const accountReply = { name: 'Account', schema };

export function accountDocument(account: Account): z.input<typeof schema> {
  const { id, packageName, status, source, createdAt } = account;
  return { id, name: account.name, package: packageName, status, source, created_at: isoTime(createdAt) };
}

/** The account of that id. */
export async function accountAt({ store, clock }: AdminParts, id: string): Promise<Account> {
  const account = await accounts(store, clock).find(id);
  // Accounts are also found by name, and a name may look like an id: here only the id counts.
  if (account?.id !== id) throw missing('account');
  return account;
}

export const accountEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/accounts',
    operationId: 'listAccounts',
    summary: 'Accounts, by name.',
    access: 'read-only',
    query: z.strictObject({
      name: z.string().max(64).optional().describe('The one of this name.'),
      status: z.enum(['active', 'suspended']).optional().describe('Only those.'),
      package: z.string().max(64).optional().describe('Only those of this package.'),
      ...pageQuery(z.string()),
    }),
    reply: pageOf(accountReply),
    run: async ({ parts: { store, clock }, query }) => {
      const { limit, cursor: after, package: packageName, ...filter } = query;
      const rows = await accounts(store, clock).list({ ...filter, packageName, after, limit: limit + 1 });
      return page(rows, limit, { shown: accountDocument, position: (account) => account.name });
    },
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/accounts/:id',
    operationId: 'getAccount',
    summary: 'One account.',
    access: 'read-only',
    reply: accountReply,
    run: async ({ parts, id }) => accountDocument(await accountAt(parts, id)),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/accounts',
    operationId: 'createAccount',
    summary: 'Make an account, with credit if that is said.',
    access: 'operator',
    body: named('NewAccount', {
      name,
      package: name.default('standard').describe('What it may use.'),
      credit: amount.optional().describe('Granted at once.'),
    }),
    reply: accountReply,
    run: async ({ parts, caller, body }) => {
      const book = accounts(parts.store, parts.clock);
      if (await book.find(body.name)) throw refused('`name` is taken by another account. Choose another name.');
      await requirePackage(parts, body.package);
      const account = await book.create({ name: body.name, packageName: body.package });
      if (body.credit !== undefined) {
        await parts.ledger(parts.store).credit.grant({
          accountId: account.id,
          amount: nanoFrom(body.credit),
          reference: `first credit of ${account.id}`,
          by: caller.actor,
          reason: 'credit of a new account',
        });
      }
      const after = accountDocument(account);
      return { reply: after, change: { kind: 'account', id: account.id, after: { ...after, credit: body.credit } } };
    },
  }),
  writing({
    method: 'PATCH',
    path: '/admin/v1/accounts/:id',
    operationId: 'changeAccount',
    summary: 'Give an account another package.',
    access: 'operator',
    body: named('AccountChange', { package: name.describe('What it may use from now on.') }),
    reply: accountReply,
    run: (call) =>
      changed(call, async (book, account) => {
        if (account.source === 'file') {
          throw refused('The configuration file decides the package of this account. Change `package` there.');
        }
        await requirePackage(call.parts, call.body.package);
        await book.setPackage(account.id, call.body.package);
      }),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/accounts/:id/suspend',
    operationId: 'suspendAccount',
    summary: 'Refuse its keys from now on; nothing is lost.',
    access: 'operator',
    reply: accountReply,
    run: (call) => changed(call, (book, { id }) => book.suspend(id)),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/accounts/:id/resume',
    operationId: 'resumeAccount',
    summary: 'Accept its keys again.',
    access: 'operator',
    reply: accountReply,
    run: (call) => changed(call, (book, { id }) => book.resume(id)),
  }),
];

function named<Shape extends z.ZodRawShape>(title: string, shape: Shape): Named<z.ZodObject<Shape, z.core.$strict>> {
  return { name: title, schema: z.strictObject(shape) };
}

async function requirePackage({ resources, store }: AdminParts, wanted: string): Promise<void> {
  const packages = await resources(store).list('package');
  if (!packages.some((each) => each.name === wanted)) {
    throw refused('`package` names no package. GET /admin/v1/packages lists them.');
  }
}

async function changed<Query, Body>(
  { parts, id }: Call<Query, Body>,
  change: (book: ReturnType<typeof accounts>, account: Account) => Promise<void>,
): Promise<Outcome & { reply: z.input<typeof schema> }> {
  const before = await accountAt(parts, id);
  await change(accounts(parts.store, parts.clock), before);
  const after = accountDocument(await accountAt(parts, id));
  return { reply: after, change: { kind: 'account', id, before: accountDocument(before), after } };
}
