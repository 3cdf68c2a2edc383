import { z } from 'zod';
import { flag, text } from './fields.ts';
import type { CamelCased } from './camel-case.ts';
import { domain, modelPattern, name } from './names.ts';

export const siteSchema = z.strictObject({
  name: name.describe('Its name in logs and commands.'),
  domains: z
    .array(domain)
    .min(1)
    .max(1000)
    .describe(
      'Request domains that select the site. An exact name takes precedence over the longest `*.suffix`, and that over `*`.',
    ),
  models: z.array(modelPattern).max(1000).describe('Models that exist on this site.'),
  honour_stream_false: flag.describe(
    'Whether `stream: false` gets one JSON body here. Without this setting, every chat answer is a stream.',
  ),
  report_cost: flag.describe(
    'Whether the usage of every answer here has `cost`, its charge as decimal text. JSON replies also have the header `x-gateway-cost`.',
  ),
  messages_bearer: flag.describe(
    'Whether the messages surface accepts any key sent as `Authorization: Bearer` here. Otherwise it accepts this only from client libraries of the format, which cannot send it in `x-api-key`.',
  ),
  title: text(1, 64).prefault('Chat Gateway').describe('Title of the dashboard on these domains.'),
  sign_up: flag.describe(
    'Whether new users can sign up in the dashboard here. Their account starts without credit. With `mail`, they confirm their address first.',
  ),
  sign_up_package: name.prefault('standard').describe('The package of accounts created by sign-up.'),
});

export type SiteSpec = CamelCased<z.output<typeof siteSchema>>;
