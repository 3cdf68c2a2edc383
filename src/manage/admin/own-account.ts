import { z } from 'zod';
import { accountAt, accountDocument, accountReply, changedAccount, versionedAccount } from './accounts/accounts.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from './api/endpoint.ts';
import { ownKeyEndpoints, ownKeyChangeEndpoints } from './keys/keys.ts';
import { ownModelsEndpoint } from './catalog/catalog-models.ts';
import { usageEndpoint } from './usage/usage.ts';
import { autoTopUpEndpoints } from './money/auto-top-up.ts';
import { paymentEndpoints } from './money/payments.ts';
import { redemptionEndpoint } from './money/codes.ts';
import { ownDocumentEndpoints } from './money/documents.ts';
import { statementEndpoints } from './money/statements.ts';
import { ownAccount, managedAccount } from './api/caller.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { displayName } from '../../platform/config/schema/values/display-name.ts';
import { recordFrom } from './api/wire.ts';
import { timeZone } from '../../platform/config/schema/key-limits.ts';
import { ownMoneyEndpoints } from './money/money.ts';
import { ownRequestEndpoints } from './requests/requests.ts';

/** Endpoints for the owner of an account. Every row is read through the caller's account. */
export const ownEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/account', 'getOwnAccount', 'account', {
    summary: 'Get your account.',
    reply: accountReply,
    run: async ({ parts, caller }) => accountDocument(parts, await accountAt(parts, ownAccount(caller))),
  }),
  ...ownMoneyEndpoints,
  ...ownKeyEndpoints,
  redemptionEndpoint,
  ...statementEndpoints,
  ...ownDocumentEndpoints,
  ...paymentEndpoints,
  ...autoTopUpEndpoints,
  ...ownKeyChangeEndpoints,
  usageEndpoint,
  ownModelsEndpoint,
  ...ownRequestEndpoints,
];

export const ownSettingsEndpoints: readonly Endpoint[] = [
  writeEndpoint('PATCH /account/v1/account', 'changeOwnAccount', 'account', {
    versioned: versionedAccount(ownAccount),
    summary: 'Change the settings of your account. Fields that are left out stay unchanged.',
    body: {
      name: 'OwnAccountChange',
      schema: z.strictObject({
        time_zone: timeZone
          .optional()
          .describe('Time zone in which its days, weeks and months begin. Limits keep their current period.'),
        display_name: displayName
          .nullable()
          .optional()
          .describe('Name for people, in any script. Null: `name` is shown.'),
      }),
    },
    reply: accountReply,
    run: async ({ parts, caller, body }) => {
      const id = managedAccount(caller, 'settings_need_owner');
      const before = await accountAt(parts, id);
      if (Object.values(body).every((value) => value === undefined)) {
        return { reply: await accountDocument(parts, before) };
      }
      await accounts(parts.store, parts.clock).change(id, recordFrom(body));
      return changedAccount(parts, before);
    },
  }),
];
