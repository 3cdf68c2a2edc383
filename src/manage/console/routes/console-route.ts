import { z } from 'zod';
import { requireOwnPage } from '../../admin/api/own-page.ts';
import { checkedBody } from '../../admin/api/sent-values.ts';
import { displayName } from '../../../platform/config/schema/values/display-name.ts';
import { hasBackslashInName } from 'chat-formats/json/safe-json.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import { isCommonPassword } from '../common-passwords.ts';
import type { LibraryAnswer } from '../identity.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { reason, type Unparameterised } from 'chat-formats/reasons/reason.ts';

/** Reply of a dashboard route. `headers` is a flat list of names and values. */
export interface ConsoleReply {
  readonly value: unknown;
  readonly headers?: readonly string[];
}

interface ConsoleCallContext<Body> {
  readonly exchange: Exchange;
  readonly id: string;
  readonly body: Body;
}

export function readingRoute(
  path: string,
  answer: (call: ConsoleCallContext<undefined>) => Promise<ConsoleReply>,
): Route {
  return {
    method: 'GET',
    path,
    handle: async (exchange, { id = '' }) => send(exchange, await answer({ exchange, id, body: undefined })),
  };
}

/** A route that changes something. It accepts requests of our own pages only, and rejects unknown fields. */
export function writingRoute<Schema extends z.ZodType>(
  { method = 'POST', path, body }: { method?: 'POST' | 'DELETE'; path: string; body?: Schema },
  answer: (call: ConsoleCallContext<z.output<Schema>>) => Promise<ConsoleReply>,
): Route {
  return {
    method,
    path,
    handle: async (exchange, { id = '' }) => {
      requireOwnPage(exchange);
      const sent = body ? checkedBody(body, (await exchange.readJson()).value) : undefined;
      send(exchange, await answer({ exchange, id, body: sent as z.output<Schema> }));
    },
  };
}

/** Returns a successful answer, or throws the matching error. The library's own message is not sent to the client. */
export function accepted(answer: LibraryAnswer, refusal: Unparameterised = 'sign_in_invalid'): LibraryAnswer {
  if (answer.status < 400) return answer;
  if (answer.status >= 500 && !clientFaultCodes.has(answer.code))
    throw new Error(`the sign-in library failed: ${answer.code ?? answer.status}`);
  if (answer.code === 'UNAUTHORIZED') throw new GatewayError('not-signed-in');
  throw new GatewayError('sign-in-refused', { reason: reason(refusal) });
}

/** The library answers these with 5xx although the client sent invalid data. */
const clientFaultCodes: ReadonlySet<string | undefined> = new Set(['FAILED_TO_VERIFY_REGISTRATION']);

export const done = { ok: true };

/** The signed-in user gave a wrong password. */
export const wrongPassword = 'wrong_password';

/** The same error for unknown, used and expired one-time links. */
export function invalidLink(): GatewayError {
  return new GatewayError('sign-in-refused', { reason: reason('link_expired') });
}

function send(exchange: Exchange, { value, headers = [] }: ConsoleReply): void {
  exchange.send(200, 'application/json', JSON.stringify(value), ['cache-control', 'no-store', ...headers]);
}

export const sentFields = {
  email: z.email(breaks('not_an_email_address')).max(254),
  name: displayName,
  /** Long enough to resist guessing, short enough to be hashed. */
  newPassword: z
    .string()
    .min(10)
    .max(256)
    .refine((password) => !isCommonPassword(password), breaks('common_password')),
  /** An existing password may be older than the rules for new ones. */
  password: z.string().min(1).max(256),
  code: z.string().trim().min(6).max(32),
  token: z.string().min(1).max(200),
  /** Of a passkey. The sign-in library parses it without a guard, after a more lenient decoder. */
  clientData: z
    .string()
    .max(10_000)
    .regex(/^[\w-]*$/)
    .refine((text) => !hasBackslashInName(Buffer.from(text, 'base64url').toString())),
  /** Of a new passkey. The sign-in library parses the JSON of this format even if it then refuses the passkey. */
  attestation: z
    .string()
    .max(100_000)
    .regex(/^[\w-]*$/)
    .refine((text) => !Buffer.from(text, 'base64url').includes('android-safetynet')),
};
