import { z } from 'zod';
import { flag, list, text } from './fields.ts';
import { ignoredField, keyHeader, pathPrefix } from './moved-clients.ts';
import type { CamelCased } from './values/camel-case.ts';
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
  key_headers: list(keyHeader, 7).describe(
    'Headers in which all APIs accept the key here too, for clients of other gateways, also behind `Bearer`. If a request has several, the first of this list decides; without any, the header of the API.',
  ),
  path_prefixes: list(pathPrefix, 16).describe(
    'Further paths under which the endpoints of `/v1` and the messages API are reached here: `/api/v1` for `/api/v1/chat/completions`, `/` for `/chat/completions`, `/v1` for `/v1/messages`. An endpoint that already has the path keeps it.',
  ),
  unknown_model_status: z
    .union([z.literal(403), z.literal(404)])
    .prefault(403)
    .describe(
      'Status of the error for a model that does not exist or is not allowed here. Its code and its text stay the same.',
    ),
  ignore_fields: list(ignoredField, 200).describe(
    'Fields that are removed from the JSON bodies of requests here, so that no provider receives them. The name of a product stands for the fields of its clients: `litellm`, `openrouter`, `bifrost`, `portkey`, `new-api`. The record of a request lists what was removed.',
  ),
  title: text(1, 64).prefault('Chat Gateway').describe('Title of the dashboard on these domains.'),
  sign_up: flag.describe(
    'Whether new users can sign up in the dashboard here. Their account starts without credit. With `mail`, they confirm their address first.',
  ),
  sign_up_package: name.prefault('standard').describe('The package of accounts created by sign-up.'),
});

export type SiteSpec = CamelCased<z.output<typeof siteSchema>>;
