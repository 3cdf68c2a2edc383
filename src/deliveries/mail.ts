import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { within } from '../core/within.ts';
import type { Result } from './delivery.ts';
import type { Email } from './email.ts';

export type MailSettings = NonNullable<Config['mail']>;

/** A server that says nothing for so long has not taken the letter. */
const silenceMs = 10_000;
/** For all of one letter: a sender that takes longer is taken for dead, and another one sends it. */
const emailTimeoutMs = 45_000;

export interface MailSendOptions {
  readonly clock: Clock;
  /** Names the letter for good. */
  readonly id: string;
  /** How long a server may say nothing. */
  readonly timeoutMs?: number;
}

/**
 * Hands one letter to the mail server, on a connection of its own. The library is loaded with the first one. What the
 * server refuses for good is not tried again; everything else is.
 */
export async function sendEmail(email: Email, settings: MailSettings, options: MailSendOptions): Promise<Result> {
  const { clock, id, timeoutMs = silenceMs } = options;
  const { createTransport } = await import('nodemailer');
  const { host, port, security, user, password, from } = settings;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { to, subject, text, html } = email;
    // The same letter sent again has the same name, by which servers and readers know it.
    const messageId = `<${id}@${from.split('@')[1]}>`;
    const sent = transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, messageId });
    const result = sent.then((): Result => ({}), faultOf);
    return await within(result, { clock, timeoutMs: emailTimeoutMs }).catch(timedOut);
  } finally {
    transport.close();
  }
}

function timedOut(): Result {
  return { fault: 'timeout' };
}

/** As the library says it: `code` where the connection failed, `responseCode` where the server answered. */
function faultOf(error: unknown): Result {
  const { code, responseCode: status } = (error ?? {}) as { readonly code?: string; readonly responseCode?: number };
  if (status !== undefined) {
    const isFinal = status >= 500 && code === 'EENVELOPE';
    return { status, fault: 'mail-refused', isFinal };
  }
  return { fault: code === 'ETIMEDOUT' ? 'timeout' : code === 'ETLS' ? 'mail-refused' : 'unreachable' };
}
