import { z } from 'zod';
import type { CamelCased } from './camel-case.ts';
import { amount } from './decimal.ts';
import { timeZone } from './key-limits.ts';
import { displayName } from './display-name.ts';
import { name } from './names.ts';

/** One entry of `accounts:`. */
export const accountSchema = z.strictObject({
  name: name.describe('The account is made when the name is new; an existing account keeps its keys and balance.'),
  display_name: displayName
    .optional()
    .describe(
      'What people see, in any script. It counts when the account is made; afterwards it is changed in the dashboard or by command.',
    ),
  package: name.describe('The `name` of a package.'),
  credit: amount.optional().describe('Granted once, when the account is made, and spent before what was paid in.'),
  time_zone: timeZone
    .optional()
    .describe('By whose clocks its days, weeks and months begin, where caps of its keys renew; UTC if nobody says.'),
});

export type AccountSpec = CamelCased<z.output<typeof accountSchema>>;
