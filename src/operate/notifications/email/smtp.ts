import type { Config } from '../../../platform/config/config.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { within } from '../../../core/time/within.ts';
import type { Result } from '../delivery.ts';
import type { Email } from './email.ts';

export type MailSettings = NonNullable<Config['mail']>;

/** Socket timeout: a server that is silent for this time has not accepted the e-mail. */
const silenceMs = 10_000;
/** Deadline of one e-mail. It must end before the claim of the sender expires and another sender sends it too. */
const emailTimeoutMs = 45_000;

export interface MailSendOptions {
  readonly clock: Clock;
  /** Used for the `Message-ID`, so it must be the same at each attempt. */
  readonly id: string;
  readonly timeoutMs?: number;
}

/** On its own connection. Final only if the server refuses the e-mail for good; never throws because of it. */
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
    // A repeated e-mail has the same id, so servers and mail programs can detect the duplicate.
    const messageId = `<${id}@${from.split('@')[1]}>`;
    const sent = transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, messageId });
    const result = sent.then((): Result => ({}), faultOf);
    return await within(result, { clock, timeoutMs: emailTimeoutMs }).catch((): Result => ({ fault: 'timeout' }));
  } finally {
    transport.close();
  }
}

/** The library sets `responseCode` if the server answered, and `code` if the connection failed. */
function faultOf(error: unknown): Result {
  const { code, responseCode: status } = (error ?? {}) as { readonly code?: string; readonly responseCode?: number };
  if (status !== undefined) {
    const isFinal = status >= 500 && code === 'EENVELOPE';
    return { status, fault: 'mail-refused', isFinal };
  }
  return { fault: code === 'ETIMEDOUT' ? 'timeout' : code === 'ETLS' ? 'mail-refused' : 'unreachable' };
}
