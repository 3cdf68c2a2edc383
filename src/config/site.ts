import { z } from 'zod';
import type { CamelCased } from './camel-case.ts';
import { domain, modelPattern, name } from './names.ts';

/** One entry of `sites:`. */
export const siteSchema = z.strictObject({
  name: name.describe('How logs and commands call it.'),
  domains: z
    .array(domain)
    .min(1)
    .max(1000)
    .describe('Request domains that select the site: exact beats the longest `*.suffix`, which beats `*`.'),
  models: z.array(modelPattern).max(1000).describe('Models that exist on this site.'),
  honour_stream_false: z
    .boolean()
    .prefault(false)
    .describe('Whether `stream: false` gets one JSON body here. The contract’s answer is a stream whatever is asked.'),
  messages_bearer: z
    .boolean()
    .prefault(false)
    .describe(
      'Whether the messages surface takes any key sent as `Authorization: Bearer` here. Otherwise it does so only from client libraries of the format, which cannot send it in `x-api-key`.',
    ),
  title: z
    .string()
    .min(1)
    .max(64)
    .prefault('Chat Gateway')
    .describe('What the dashboard calls itself on these domains.'),
  sign_up: z
    .boolean()
    .prefault(false)
    .describe(
      'Whether strangers may make themselves an account in the dashboard here. It begins without credit. With `mail` they confirm their address first.',
    ),
  sign_up_package: name.prefault('standard').describe('The package of accounts that are made so.'),
});

export type SiteSpec = CamelCased<z.output<typeof siteSchema>>;
