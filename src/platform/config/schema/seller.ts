import { optional, z } from 'zod';
import { breaks } from '../file/wording.ts';
import type { CamelCased } from './values/camel-case.ts';
import { percent } from './values/decimal.ts';
import { billingLine, description } from './values/display-name.ts';
import { choice, list } from './fields.ts';

/** The lines of an address. */
const linesMax = 6;

/** The fields that documents print besides the name. */
const partyFields = {
  address: list(billingLine, linesMax)
    .describe('Lines of the address.')
    .meta({ sample: ['1 Example Street', 'Berlin'] }),
  country: optional(billingLine).describe('Country, as it is printed.').meta({ title: 'text', sample: 'Germany' }),
  tax_number: optional(billingLine).describe('Tax or VAT number.').meta({ title: 'text', sample: 'DE123456789' }),
  email: optional(z.email().max(254))
    .describe('E-mail address for questions about billing.')
    .meta({ title: 'an e-mail address', sample: 'billing@example.com' }),
};

const taxSchema = z.strictObject({
  name: billingLine.describe('Name of the tax, such as `VAT`.').meta({ title: 'text', sample: 'VAT' }),
  rate: percent
    .describe('Rate in percent. Amounts include the tax: documents show the part of the amount that is tax.')
    .meta({ title: 'a decimal in quotes', sample: '"19"' }),
  shown_on: choice(['payments', 'statements'], 'payments').describe(
    'Documents with a tax line: `payments` for receipts and credit notes, `statements` for monthly statements. Tax is shown on one of them only, so that no amount shows it twice.',
  ),
});

export const sellerSchema = z.strictObject({
  name: billingLine.describe('Legal name.').meta({ title: 'text', sample: 'Example Ltd' }),
  ...partyFields,
  note: optional(description)
    .describe('Last line of every document, for a bank account or a registration.')
    .meta({ title: 'text', sample: 'Registered in Berlin, HRB 1234' }),
  number_prefix: z
    .string()
    .max(12)
    .regex(/^[A-Z0-9-]*$/, breaks('not_a_number_prefix'))
    .prefault('')
    .describe('Text before every document number, such as `EX-` in `EX-R-2026-000001`.'),
  tax: optional(taxSchema).describe('Tax that is included in amounts. Without it, documents have no tax line.'),
});

export type SellerSpec = CamelCased<z.output<typeof sellerSchema>>;
