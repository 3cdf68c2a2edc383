import { optional, z } from 'zod';
import { languages } from 'chat-formats/reasons/text.ts';
import { choice, list, text, webUrl, whole } from './fields.ts';
import { breaks } from '../file/wording.ts';

const address = z.email(breaks('not_an_email_address')).max(254);

export const mailSchema = z
  .strictObject({
    host: text(1, 253)
      .regex(/^[A-Za-z0-9.:_-]+$/, breaks('not_a_mail_server'))
      .describe('Host of the mail server (SMTP).')
      .meta({ title: 'a host name', sample: 'smtp.example.com' }),
    port: whole(1, 65_535).prefault(587).describe('Its port: usually 587, or 465 with `security: tls`.'),
    security: choice(['starttls', 'tls', 'none'], 'starttls').describe(
      '`starttls` encrypts before it sends anything else, and sends nothing if the server does not support it; `tls` is encrypted from the first byte; `none` is for a server on this machine.',
    ),
    user: text(1, 500).optional().describe('User name at the mail server; without it, the gateway does not sign in.'),
    password: optional(text(1, 2000))
      .describe('Password of `user`.')
      .meta({ title: 'a secret', sample: '${SMTP_PASSWORD}' }),
    from: address
      .describe('Sender of the e-mails.')
      .meta({ title: 'an e-mail address', sample: 'gateway@example.com' }),
    url: webUrl
      .max(500)
      .describe(
        'Address of the dashboard. Links in e-mails begin with it. A domain that a site names replaces its host on that site.',
      )
      .meta({ title: 'an address', sample: 'https://gateway.example.com' }),
    languages: z
      .array(z.enum(languages))
      .min(1)
      .max(languages.length)
      .prefault([...languages])
      .describe('Languages of e-mails to recipients whose language is unknown, one below the other.'),
    operators: list(address, 20).describe(
      'Addresses that get an e-mail when an upstream is down or back, or a provider refuses a credential.',
    ),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), breaks('user_without_password'));
