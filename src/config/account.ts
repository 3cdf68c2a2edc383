import { z } from 'zod';
import type { CamelCased } from './camel-case.ts';
import { amount } from './decimal.ts';
import { name } from './names.ts';

/** One entry of `accounts:`. */
export const accountSchema = z.strictObject({
  name: name.describe('The account is made when the name is new; an existing account keeps its keys and balance.'),
  package: name.describe('The `name` of a package.'),
  credit: amount.optional().describe('Granted once, when the account is made, and spent before what was paid in.'),
});

export type AccountSpec = CamelCased<z.output<typeof accountSchema>>;
