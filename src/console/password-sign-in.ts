import { z } from 'zod';
import type { Exchange } from '../http/exchange.ts';
import { accepted, type ConsoleReply } from './console-route.ts';
import type { Identity, LibraryAnswer } from './identity.ts';
import type { KnownDevices } from './known-devices.ts';

interface Given {
  readonly exchange: Exchange;
  readonly email: string;
}

/** Signs someone in whose password is known to be right, because they have just chosen or given it. */
export async function passwordSignIn(
  people: Identity,
  devices: KnownDevices,
  { exchange, email, password }: Given & { readonly password: string },
): Promise<ConsoleReply> {
  const answer = await people.ask(exchange, (library, headers) =>
    library.signInEmail({ body: { email, password }, headers, asResponse: true }),
  );
  return afterPassword(devices, accepted(answer), { exchange, email });
}

/** What comes behind a right password: a code, or being signed in, in a browser that is known from now on. */
export function afterPassword(
  devices: KnownDevices,
  { body, headers }: LibraryAnswer,
  { exchange, email }: Given,
): ConsoleReply {
  const { twoFactorRedirect } = z.object({ twoFactorRedirect: z.boolean().default(false) }).parse(body);
  if (twoFactorRedirect) return { value: { next: 'two-factor' }, headers };
  return { value: { next: 'done' }, headers: [...headers, ...devices.remember(exchange, email)] };
}
