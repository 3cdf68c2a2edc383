import { z } from 'zod';
import { accounts } from '../../accounts/accounts.ts';
import { displayName } from '../../config/schema/display-name.ts';
import { timeZone } from '../../config/schema/key-limits.ts';
import { accountAt, accountDocument, accountReply, changedAccount, versionedAccount } from './accounts.ts';
import { type Endpoint, writeEndpoint } from '../api/endpoint.ts';
import { managedAccount } from '../people/members.ts';
import { ownAccount } from '../api/caller.ts';

/** The settings of an account, for its owners. */
export const ownSettingsEndpoints: readonly Endpoint[] = [
  writeEndpoint('PATCH /account/v1/account', 'changeOwnAccount', 'account', {
    versioned: versionedAccount(ownAccount),
    summary: 'Change the settings of your account. Fields that are left out stay unchanged.',
    body: {
      name: 'OwnAccountChange',
      schema: z.strictObject({
        time_zone: timeZone.optional().describe('Time zone in which its days, weeks and months begin from now on.'),
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
      const { time_zone: zone, display_name: shown } = body;
      if (zone === undefined && shown === undefined) return { reply: await accountDocument(parts, before) };
      const book = accounts(parts.store, parts.clock);
      if (zone !== undefined) await book.setTimeZone(id, zone);
      if (shown !== undefined) await book.rename(id, shown ?? undefined);
      return changedAccount(parts, before);
    },
  }),
];
