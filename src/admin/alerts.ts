import { z } from 'zod';
import { lowBalanceOf, setLowBalance } from '../billing/low-line.ts';
import { amount } from '../config/decimal.ts';
import { contentVersion } from '../core/content-version.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { decimalText, nanoFrom } from '../core/money.ts';
import { accountAt } from './accounts.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, reading, writing } from './endpoint.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import type { Role } from './roles.ts';
import type { Versioned } from './versioned.ts';
import { versionSchema } from './wire.ts';

const schema = z.strictObject({
  low_balance: z.string().nullable().describe('The balance at which `balance.low` is told; null: never.'),
  version: versionSchema,
});

const changeSchema = z.strictObject({
  low_balance: amount.nullable().optional().describe('A decimal in quotes; null: never.'),
});

const reply = { name: 'Alerts', schema };
const body = { name: 'AlertsChange', schema: changeSchema };

interface Side {
  readonly path: string;
  readonly name: string;
  readonly reads: Role;
  readonly writes: Role;
  readonly account: (parts: AdminParts, id: string, caller: AdminCaller) => Promise<string>;
}

const own: Side = {
  path: '/account/v1/alerts',
  name: 'OwnAlerts',
  reads: 'account',
  writes: 'account',
  account: (_parts, _id, caller) => Promise.resolve(ownAccount(caller)),
};

const anyones: Side = {
  path: '/admin/v1/accounts/:id/alerts',
  name: 'Alerts',
  reads: 'read-only',
  writes: 'operator',
  account: async (parts, id) => (await accountAt(parts, id)).id,
};

/** When the owners of an account are told of it. */
export const alertEndpoints: readonly Endpoint[] = [own, anyones].flatMap(endpointsOf);

function endpointsOf({ path, name, reads, writes, account }: Side): readonly Endpoint[] {
  const versioned: Versioned = {
    kind: 'alerts',
    lock: 'alerts',
    current: async (parts, id, caller) => document(parts, await account(parts, id, caller)),
  };
  return [
    reading({
      method: 'GET',
      path,
      operationId: `get${name}`,
      summary: 'When the owners of the account are told.',
      access: reads,
      reply,
      run: async ({ parts, caller, id }) => document(parts, await account(parts, id, caller)),
    }),
    writing({
      method: 'PATCH',
      path,
      operationId: `change${name}`,
      versioned,
      summary: 'Change when they are told; what is left out stays.',
      access: writes,
      body,
      reply,
      run: async ({ parts, caller, id, body: { low_balance: low } }) => {
        if (caller.role === 'account' && caller.standing !== 'owner') throw onlyOwners();
        const accountId = await account(parts, id, caller);
        const before = await document(parts, accountId);
        if (low !== undefined) await setLowBalance(parts.store.db, accountId, low === null ? undefined : nanoFrom(low));
        const after = await document(parts, accountId);
        return { reply: after, change: { kind: 'alerts', id: accountId, before, after } };
      },
    }),
  ];
}

async function document({ store }: AdminParts, accountId: string): Promise<z.input<typeof schema>> {
  const low = await lowBalanceOf(store.db, accountId);
  const said = { low_balance: low === undefined ? null : decimalText(low) };
  return { ...said, version: contentVersion([accountId, said]) };
}

function onlyOwners(): GatewayError {
  return new GatewayError('forbidden', { detail: 'Only owners of the account decide when it is told.' });
}
