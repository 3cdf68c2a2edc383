import { z } from 'zod';
import { breaks } from './wording.ts';

const address = z.email(breaks('not_an_email_address')).max(254);

/** `mail:` of the file. */
export const mailSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9.:_-]+$/, breaks('not_a_mail_server'))
      .describe('The mail server that takes our letters (SMTP).')
      .meta({ title: 'a host name', sample: 'smtp.example.com' }),
    port: z.int().min(1).max(65_535).prefault(587).describe('Its port: usually 587, or 465 with `security: tls`.'),
    security: z
      .enum(['starttls', 'tls', 'none'])
      .prefault('starttls')
      .describe(
        '`starttls` encrypts before anything is said, and sends nothing where the server cannot; `tls` is encrypted from the first byte; `none` is for a server on this machine.',
      ),
    user: z.string().min(1).max(500).optional().describe('Who we sign in as; nobody if left out.'),
    password: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('What we sign in with.')
      .meta({ title: 'a secret', sample: '${SMTP_PASSWORD}' }),
    from: address
      .describe('Whom letters come from.')
      .meta({ title: 'an e-mail address', sample: 'gateway@example.com' }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .describe('Where people reach the dashboard: what links in letters begin with, but on domains a site names.')
      .meta({ title: 'an address', sample: 'https://gateway.example.com' }),
    languages: z
      .array(z.enum(['en', 'zh']))
      .min(1)
      .max(2)
      .prefault(['en', 'zh'])
      .describe('What letters to people are written in whose language is not known, one below the other.'),
    operators: z
      .array(address)
      .max(20)
      .prefault([])
      .describe('Who gets a letter when an upstream is down or back, or a provider refuses a credential.'),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    ...breaks('user_without_password'),
  });
