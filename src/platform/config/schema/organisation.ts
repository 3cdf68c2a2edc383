import { optional, z } from 'zod';
import type { CamelCased } from './values/camel-case.ts';
import { displayName } from './values/display-name.ts';
import { keyModels, timeZone } from './key-limits.ts';
import { name } from './names.ts';
import { spendLimits } from './spend-limit.ts';

export const organisationSchema = z.strictObject({
  name: name.describe('The organisation is created if the name is new. Accounts refer to it.'),
  display_name: optional(displayName).describe(
    'The name that users see, in any script. It applies when the organisation is created.',
  ),
  models: optional(keyModels).describe(
    'Limits all its accounts to these models, in addition to their packages: ids, aliases or patterns.',
  ),
  limits: optional(spendLimits).describe('Limits on the spend of all its accounts together. `[]` removes them.'),
  time_zone: optional(timeZone).describe('The time zone in which the periods of its limits begin; UTC if not set.'),
});

export type OrganisationSpec = CamelCased<z.output<typeof organisationSchema>>;
