import { z } from 'zod';
import { requireOwnPage } from '../admin/own-page.ts';
import { checkedBody } from '../admin/sent-values.ts';
import { displayName } from '../config/display-name.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { isCommonPassword } from './common-passwords.ts';
import type { LibraryAnswer } from './identity.ts';
import { breaks } from '../config/wording.ts';
import { reason, type Unparameterised } from '../core/reasons/reason.ts';

/** What a route of the dashboard answers; `headers` is a flat list. */
export interface ConsoleReply {
  readonly value: unknown;
  readonly headers?: readonly string[];
}

interface ConsoleCallContext<Body> {
  readonly exchange: Exchange;
  /** The path's parameter. */
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

/** A route that changes something: only a page of ours may ask for it, and only with the fields it knows. */
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

/** The answer as it is, or the refusal it means; its own words stay inside. */
export function accepted(answer: LibraryAnswer, refusal: Unparameterised = 'sign_in_invalid'): LibraryAnswer {
  if (answer.status < 400) return answer;
  if (answer.status >= 500 && !clientFaultCodes.has(answer.code))
    throw new Error(`the sign-in library failed: ${answer.code ?? answer.status}`);
  if (answer.code === 'UNAUTHORIZED') throw new GatewayError('not-signed-in');
  throw new GatewayError('sign-in-refused', { reason: reason(refusal) });
}

/** Failures that the library takes for its own, although the client sent nonsense. */
const clientFaultCodes: ReadonlySet<string | undefined> = new Set(['FAILED_TO_VERIFY_REGISTRATION']);

export const done = { ok: true };

/** What whoever does not know their own password is told. */
export const wrongPassword = 'wrong_password';

/** What a one-time link that opens nothing is answered with, whatever the reason. */
export function invalidLink(): GatewayError {
  return new GatewayError('sign-in-refused', { reason: reason('link_expired') });
}

function send(exchange: Exchange, { value, headers = [] }: ConsoleReply): void {
  exchange.send(200, 'application/json', JSON.stringify(value), ['cache-control', 'no-store', ...headers]);
}

/** What people type in. */
export const sentFields = {
  email: z.email(breaks('not_an_email_address')).max(254),
  name: displayName,
  /** A new password: long enough to be worth guarding, short enough to be hashed. */
  newPassword: z
    .string()
    .min(10)
    .max(256)
    .refine((password) => !isCommonPassword(password), breaks('common_password')),
  /** One that exists may be of any age. */
  password: z.string().min(1).max(256),
  code: z.string().trim().min(6).max(32),
  token: z.string().min(1).max(200),
};
