import { z } from 'zod';
import { lowBalanceOf, setLowBalance } from '../../../money/billing/ledger/low-balance-threshold.ts';
import { amount } from '../../../platform/config/schema/values/decimal.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { decimalText, nanoFrom } from '../../../core/money.ts';
import type { Kysely } from 'kysely';
import { ableReaders, chooseReaders, chosenReaders, type Reader, readersMax } from '../../../money/accounts/readers.ts';
import { cadenceOf, setCadence } from '../../../operate/notifications/digests/digests.ts';
import type { Database } from '../../../platform/store/database.ts';
import { accountAt } from './accounts.ts';
import { type AdminCaller, ownAccount, type Role } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { cadenceNamed, digestName, digestSchema } from './digest-documents.ts';
import type { AdminParts } from '../parts.ts';
import { invalidField } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import { versionSchema } from '../api/wire.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';

const schema = z.strictObject({
  low_balance: z.string().nullable().describe('Balance at which `balance.low` is sent. Null: never.'),
  recipients: z
    .array(z.string())
    .nullable()
    .describe('Addresses that get e-mails about the account. Null: all of its owners.'),
  digest: digestSchema,
  readers: z.array(z.string()).describe('Addresses that can be recipients: members with a verified address.'),
  is_mail_on: z.boolean().describe('Whether the gateway can send e-mails.'),
  version: versionSchema,
});

const changeSchema = z.strictObject({
  low_balance: amount.nullable().optional().describe('A decimal in quotes. Null: never.'),
  recipients: z
    .array(z.email(breaks('not_an_email_address')).max(254))
    .min(1)
    .max(readersMax)
    .nullable()
    .optional()
    .describe('Addresses of members. Null: all owners.'),
  digest: digestSchema.optional(),
});

const reply = { name: 'Alerts', schema };
const body = { name: 'AlertsChange', schema: changeSchema };

interface AlertSide {
  readonly path: string;
  readonly name: string;
  readonly reads: Role;
  readonly writes: Role;
  readonly account: (parts: AdminParts, id: string, caller: AdminCaller) => Promise<string>;
}

const forOwners: AlertSide = {
  path: '/account/v1/alerts',
  name: 'OwnAlerts',
  reads: 'account',
  writes: 'account',
  account: (_parts, _id, caller) => Promise.resolve(ownAccount(caller)),
};

const forOperators: AlertSide = {
  path: '/admin/v1/accounts/:id/alerts',
  name: 'Alerts',
  reads: 'read-only',
  writes: 'operator',
  account: async (parts, id) => (await accountAt(parts, id)).id,
};

export const alertEndpoints: readonly Endpoint[] = [forOwners, forOperators].flatMap(endpointsOf);

function endpointsOf({ path, name, reads, writes, account }: AlertSide): readonly Endpoint[] {
  const versioned: Versioned = {
    kind: 'alerts',
    lock: 'alerts',
    current: async (parts, id, caller) => {
      const accountId = await account(parts, id, caller);
      // The id under which the audit log has the change.
      return { id: accountId, ...(await document(parts, accountId)) };
    },
  };
  return [
    readEndpoint(`GET ${path}`, `get${name}`, reads, {
      summary: 'Get the alert settings of the account.',
      reply,
      run: async ({ parts, caller, id }) => document(parts, await account(parts, id, caller)),
    }),
    writeEndpoint(`PATCH ${path}`, `change${name}`, writes, {
      versioned,
      summary: 'Change the alert settings of the account. Fields that are left out stay unchanged.',
      body,
      reply,
      run: async ({ parts, caller, id, body }) => {
        if (caller.role === 'account' && caller.memberRole !== 'owner')
          throw new GatewayError('forbidden', { reason: reason('alerts_need_owner') });
        const accountId = await account(parts, id, caller);
        const before = await document(parts, accountId);
        await change(parts, accountId, body);
        const after = await document(parts, accountId);
        return { reply: after, change: { kind: 'alerts', id: accountId, before, after } };
      },
    }),
  ];
}

async function change({ store: { db } }: AdminParts, accountId: string, body: z.output<typeof changeSchema>) {
  const { low_balance: low, recipients, digest } = body;
  if (low !== undefined) await setLowBalance(db, accountId, low === null ? undefined : nanoFrom(low));
  if (recipients !== undefined) await chooseReaders(db, accountId, await readersAt(db, accountId, recipients ?? []));
  if (digest !== undefined) await setCadence(db, { accountId }, cadenceNamed(digest));
}

/** Only members can be chosen, so a former member gets no e-mails about the account. */
async function readersAt(
  db: Kysely<Database>,
  accountId: string,
  emails: readonly string[],
): Promise<readonly Reader[]> {
  const able = new Map((await ableReaders(db, accountId)).map((reader) => [reader.email, reader]));
  return [...new Set(emails.map((email) => email.toLowerCase()))].map((email) => {
    const reader = able.get(email);
    if (!reader) throw invalidField('recipients', broken('not_a_member', { email }), 'Invite them first.');
    return reader;
  });
}

async function document({ store: { db }, mail }: AdminParts, accountId: string): Promise<z.input<typeof schema>> {
  const low = await lowBalanceOf(db, accountId);
  const chosen = await chosenReaders(db, accountId);
  const settings = {
    low_balance: low === undefined ? null : decimalText(low),
    recipients: chosen.length === 0 ? null : chosen.map(({ email }) => email),
    digest: digestName(await cadenceOf(db, { accountId })),
  };
  const readers = (await ableReaders(db, accountId)).map(({ email }) => email);
  return {
    ...settings,
    readers,
    is_mail_on: mail.settings !== undefined,
    version: contentVersion([accountId, settings]),
  };
}
