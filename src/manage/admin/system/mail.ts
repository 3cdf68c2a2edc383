import { z } from 'zod';
import { lastEmails } from '../../../operate/notifications/email/post-email.ts';
import { deliveryFaults, deliveryStates } from '../../../operate/notifications/delivery.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { refused } from '../api/sent-values.ts';
import { documentAs, timeSchema } from '../api/wire.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const emailSchema = z.strictObject({
  id: z.string(),
  to: z.string(),
  state: z.enum(deliveryStates),
  attempt_count: z.int(),
  next_at: timeSchema.nullable(),
  created_at: timeSchema,
  status: z.int().nullable().describe('Last status code of the mail server, if it refused.'),
  fault: z.enum(deliveryFaults).nullable(),
});

const schema = z.strictObject({
  is_on: z.boolean().describe('Whether the configuration file names a mail server.'),
  host: z.string().nullable(),
  from: z.string().nullable(),
  emails: z.array(emailSchema).describe('The last e-mails, newest first, without their content.'),
});

const reply = { name: 'Mail', schema, inside: [{ name: 'MailMessage', schema: emailSchema }] };

const shownMax = 20;

export const mailEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/mail', 'getMail', 'read-only', {
    summary: 'Get the mail server and the state of the last e-mails.',
    reply,
    run: async ({ parts: { store, mail } }) => {
      const { settings } = mail;
      const emails = await lastEmails(store.db, shownMax);
      return {
        is_on: settings !== undefined,
        host: settings?.host ?? null,
        from: settings?.from ?? null,
        emails: emails.map(emailDocument),
      };
    },
  }),
  writeEndpoint('POST /admin/v1/mail/test', 'testMail', 'operator', {
    summary: 'Send a test e-mail. `GET /admin/v1/mail` shows the result.',
    body: {
      name: 'MailTest',
      schema: z.strictObject({
        to: z.email(breaks('not_an_email_address')).max(254).describe('Address of the recipient.'),
      }),
    },
    reply: { name: 'MailTested', schema: z.strictObject({ mailed: z.boolean() }) },
    run: async ({ parts, body: { to }, address }) => {
      if (!parts.mail.settings) throw refused(reason('no_mail_server'));
      const subject = { kind: 'test' } as const;
      const mailed = await parts.mail.post(parts.store.db, { to, subject, path: '/app/overview', address });
      return { reply: { mailed }, change: { kind: 'mail', id: 'test', after: { to } } };
    },
  }),
];

type Emails = Awaited<ReturnType<typeof lastEmails>>;

function emailDocument(email: Emails[number]) {
  const { status, fault } = email.attempts.at(-1) ?? {};
  return documentAs(emailSchema.shape, { ...email, status, fault });
}
