import { type LinkMaking, makeLink } from '../accounts/one-time-links.ts';
import { hasOwner } from '../accounts/operators.ts';

/** Where a link that makes its opener the owner leads. It works once, for a day. */
export async function setupPath(making: LinkMaking): Promise<string> {
  const { secret } = await makeLink(making, { kind: 'setup' }, 'cli');
  return `/app/setup?token=${secret}`;
}

/** The same for as long as there is no owner. */
export async function firstSetupPath(making: LinkMaking): Promise<string | undefined> {
  return (await hasOwner(making.store.db)) ? undefined : setupPath(making);
}
