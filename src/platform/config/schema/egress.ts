import { isIP } from 'node:net';
import { z } from 'zod';
import { list } from './fields.ts';
import { isVariableName } from '../environment.ts';
import { breaks } from '../file/wording.ts';

/** A host name, an address, or a range of addresses such as `10.1.0.0/16`. */
export const destination = z
  .string()
  .max(253)
  .refine((text) => isHostName(text) || isAddressOrRange(text), breaks('not_a_host_address_or_range'))
  .meta({ title: 'a destination', sample: 'models.internal, 10.1.2.3, 10.1.0.0/16, fd12::/64' });

const variable = z
  .string()
  .refine(isVariableName, breaks('not_a_variable_name'))
  .meta({ title: 'an environment variable', sample: 'ACME_KEY' });

export const egressSchema = z.strictObject({
  allow: list(destination, 1000).describe(
    'Private destinations that they may reach too: host names, addresses or ranges. A host name is allowed regardless of the address that it resolves to.',
  ),
  variables: list(variable, 1000).describe(
    'Environment variables of the gateway that they may name as `${NAME}` in their credentials and headers. Without it, only the usual variable of their provider, if they have no `base_url`.',
  ),
});

/** Text of digits and dots alone is a mistyped address. */
function isHostName(text: string): boolean {
  return /^(?!-)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/.test(text) && !/^[\d.]+$/.test(text);
}

/** Whether it is an address, or a range of addresses such as `10.1.0.0/16`. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
