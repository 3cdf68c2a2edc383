import { prefault, z } from 'zod';
import { whole } from './fields.ts';
import type { CamelCased } from './values/camel-case.ts';
import { factor } from './values/decimal.ts';
import { modelPattern, name } from './names.ts';

export const packageSchema = z.strictObject({
  name: name.describe('The name that accounts refer to.'),
  models: z.array(modelPattern).max(1000).describe('Models its accounts may use.'),
  weight: prefault(whole(1, 100), 1).describe(
    'Share of a busy upstream for an account of this package, relative to accounts of other packages: with 4, four times as much as with 1.',
  ),
  price_factor: prefault(factor, '1').describe(
    'Multiplies the price of every model for its accounts: with "1.2", they pay 20 % more.',
  ),
});

export type PackageSpec = CamelCased<z.output<typeof packageSchema>>;
