import { optional, prefault, z } from 'zod';
import { choice, list, text, whole } from './schema/fields.ts';
import { accountSchema } from './schema/account.ts';
import { batchesSchema } from './schema/batches.ts';
import { organisationSchema } from './schema/organisation.ts';
import { byteSizeWithin } from './schema/values/byte-size.ts';
import { type CamelCased, camelCased } from './schema/values/camel-case.ts';
import { codingAgents } from './schema/coding-agents.ts';
import { duration, durationWithin } from './schema/values/duration.ts';
import { egressSchema, isAddressOrRange } from './schema/egress.ts';
import { limitsSchema } from './schema/limits.ts';
import { mailSchema } from './schema/mail.ts';
import { type ModelSpec, modelSchema, modelSpec } from './schema/model.ts';
import { packageSchema } from './schema/package.ts';
import { paymentsSchema } from './schema/payments.ts';
import { sellerSchema } from './schema/seller.ts';
import { signInSchema } from './schema/sign-in.ts';
import { siteSchema } from './schema/site.ts';
import { storedBodiesSchema } from './schema/stored-bodies.ts';
import { telemetrySchema } from './schema/telemetry.ts';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from './schema/upstream.ts';
import { webhooksSchema } from './schema/webhooks.ts';
import { breaks } from './file/wording.ts';

const listenSchema = z.strictObject({
  host: prefault(text(1, 253), '127.0.0.1').describe(
    'Address to listen on; `0.0.0.0` opens the gateway to the network.',
  ),
  port: prefault(whole(0, 65_535), 8080).describe(
    'Port; `0` selects any free port. If no port is set and another program uses 8080, the gateway uses and prints the next free port up to 8089. Next to another Chat Gateway it does not start.',
  ),
  health_port: optional(whole(0, 65_535))
    .describe(
      'A second port that serves only `/healthz`, `/readyz` and `/metrics`, also under overload and until the end of a shutdown. It requires no key: let only your monitoring reach it.',
    )
    .meta({ title: 'a port', sample: 8081 }),
  trusted_proxies: list(
    z
      .string()
      .max(64)
      .refine(isAddressOrRange, breaks('not_an_address_or_range'))
      .meta({ title: 'an address range', sample: '10.0.0.1, 10.1.0.0/16, fd12::/64' }),
    1000,
  ).describe(
    'Proxies in front of the gateway. The client’s address is read from their `X-Forwarded-For` or `Forwarded` header; the log and the sign-in throttle use it. Their `X-Forwarded-Proto: https` counts as TLS, and cookies are marked as secure. These headers from other addresses are ignored.',
  ),
});

const waitingSchema = z.strictObject({
  hold_headers: prefault(durationWithin('0s', '5m'), '10s').describe(
    'How long the gateway delays the status of a waiting request. An error within this time has its own status; after it, status 200 is sent.',
  ),
  keep_alive_every: prefault(duration, '10s').describe(
    'Interval between the comments that keep a waiting client connected.',
  ),
  max_wait: prefault(duration, '600s').describe(
    'A request that gets no slot within this time fails with `overloaded`. If its client has a shorter timeout (`x-stainless-timeout`), it fails shortly before that.',
  ),
  max_requests: prefault(whole(100, 1_000_000), 20_000).describe(
    'Requests that may wait at once. Beyond that, the newest request of the account with the most waiting requests fails with `overloaded`. While other accounts wait, one account may use at most a quarter.',
  ),
  max_bytes: prefault(byteSizeWithin('64MiB', '64GiB'), '1GiB').describe(
    'Total size of the bodies of waiting requests. Beyond it, the rules of `max_requests` apply.',
  ),
});

const logSchema = z.strictObject({
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info').describe(
    'The lowest level that is written.',
  ),
  format: choice(['json', 'text'], 'json').describe(
    'One JSON object per line, or readable text; the field names are the same ([logs.md](logs.md)).',
  ),
  sample: z
    .number()
    .min(0)
    .max(1)
    .prefault(1)
    .describe(
      'Share of successful requests that are logged, from 0 to 1. Requests that failed, were refused or lost their client are always logged.',
    )
    .meta({ title: 'a number from 0 to 1', sample: 0.1 }),
});

const requestsSchema = z.strictObject({
  retention: prefault(durationWithin('1h', '3650d'), '30d').describe(
    'How long the request log is kept. Older requests can no longer be explained. The log never contains prompts or answers.',
  ),
  usage_retention: prefault(durationWithin('1d', '3650d'), '400d').describe(
    'How long the totals for usage, and for the speed and uptime of models, are kept. They stay when requests are deleted.',
  ),
});

const responsesSchema = z.strictObject({
  retention: prefault(
    z.preprocess((value) => (value === 0 || value === '0' ? '0s' : value), durationWithin('0s', '3650d')),
    '30d',
  )
    .describe(
      'How long a response is stored that a client may refer to later (`previous_response_id`, `item_reference`, `GET /v1/responses/{id}`). Stored responses are encrypted. `0` stores none; a request that refers to one gets an error that says so.',
    )
    .meta({ title: 'a duration', sample: '0, 12h, 30d', type: ['string', 'integer'] }),
  response_bytes_max: prefault(byteSizeWithin('64KiB', '64MiB'), '16MiB').describe(
    'Maximum size of one stored response with its input. A larger one must be requested with `store: false`.',
  ),
  account_bytes_max: prefault(byteSizeWithin('1MiB', '1024GiB'), '1GiB').describe(
    'Maximum total size of the stored responses of one account. Beyond it, the oldest are deleted.',
  ),
});

/** Used for a section that the file leaves out. Without a package and a site, no model could be reached. */
export const defaultPackages = [{ name: 'standard', models: ['*'] }];
export const defaultSites = [{ name: 'main', domains: ['*'], models: ['*'] }];

/** Above the number of cores of any machine. */
const workersMax = 256;

/** The whole configuration file. `docs/configuration.md` is generated from the descriptions. */
export const configSchema = z.strictObject({
  listen: listenSchema.prefault({}).describe('Addresses and ports of the gateway.'),
  data: prefault(z.string().min(1), './data').describe(
    'Folder of the embedded store and the secret key, relative to this file. Back it up; do not share it.',
  ),
  database: z
    .string()
    .max(2000)
    .regex(/^postgres(ql)?:\/\/\S+$/, breaks('not_a_database_address'))
    .optional()
    .describe(
      'A PostgreSQL database instead of the embedded store, so that several machines can share it. It needs `secret`, the same on all of them.',
    )
    .meta({ title: 'an address of a database', sample: '${DATABASE_URL}' }),
  workers: prefault(z.union([z.literal('auto'), whole(1, workersMax)], breaks('not_workers')), 1)
    .describe(
      'Processes that serve the one address; `auto` starts one for each core. They share the slots of upstreams. Use one until it fully uses its core: it needs the least memory and no parent process.',
    )
    .meta({ title: '`auto` or a number', sample: 'auto' }),
  secret: optional(z.string().min(32))
    .describe(
      'Replaces the key file in `data`. Required with `database`. `hex:` followed by the text of a key file is the secret of that file. To change it, put the old one into `other_secrets`; otherwise the gateway does not start.',
    )
    .meta({ title: 'a secret', sample: '${GATEWAY_SECRET}' }),
  other_secrets: list(z.string().min(32), 4)
    .describe(
      'Secrets that are accepted in addition to `secret` while it is being changed. Data made with them still works; everything new uses `secret`. `chat-gateway secret rotate` reports when one can be removed. Read once, at the start.',
    )
    .meta({ title: 'a list of secrets', sample: ['${OLD_SECRET}'] }),
  messages_prefix: z
    .string()
    .max(64)
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, breaks('not_a_path_prefix'))
    .prefault('/anthropic')
    .describe('Path in front of the messages API. Read once, at the start.'),
  currency: prefault(z.string().regex(/^[A-Z]{3}$/, breaks('not_a_currency')), 'USD').describe(
    'The currency of every price and balance.',
  ),
  support_email: optional(z.email())
    .describe('Contact for users with problems; shown in server-error messages.')
    .meta({ title: 'an e-mail address', sample: 'help@example.com' }),
  log: logSchema.prefault({}).describe('The log of the gateway.'),
  telemetry: telemetrySchema.prefault({}).describe('Metrics and traces.'),
  limits: limitsSchema.prefault({}).describe('Limits on client requests. Each one protects the other clients.'),
  waiting: waitingSchema.prefault({}).describe('Requests that wait for a slot.'),
  shutdown_grace: prefault(durationWithin('0s', '1d'), '600s').describe(
    'How long running answers may continue after SIGTERM or SIGINT. Answers that still run then end with an error frame, and are charged and recorded.',
  ),
  requests: requestsSchema.prefault({}).describe('The request log, which explains a request by its id.'),
  responses: responsesSchema.prefault({}).describe('Responses that clients may refer to later.'),
  batches: batchesSchema
    .prefault({})
    .describe('Files that clients upload, and batches of requests that run on idle slots ([batches.md](batches.md)).'),
  stored_bodies: optional(storedBodiesSchema).describe(
    'Allows accounts to store the bodies of requests and answers, encrypted and for a short time, for the keys with `store_bodies`. Without this section no bodies are stored, even for such keys, and those already stored are deleted.',
  ),
  coding_agents: prefault(z.array(text(3, 64)).max(200), codingAgents).describe(
    'Names of coding agents in `User-Agent`, `X-Title` or `HTTP-Referer`. An entry matches at the beginning of a word, in upper or lower case. Their requests use the thinking effort `max` unless they set another.',
  ),
  egress: prefault(egressSchema, {}).describe(
    'Upstreams that are added by command or API can reach public addresses only. Upstreams in this file can have any address.',
  ),
  payments: paymentsSchema.prefault({}).describe('How customers top up their balance themselves.'),
  seller: optional(sellerSchema).describe(
    'The seller on receipts, credit notes and monthly statements ([documents.md](documents.md)). A document keeps the seller with which it was issued. Without this section, documents name no seller.',
  ),
  sign_in: prefault(signInSchema, {}).describe(
    'How users sign in to the dashboard, in addition to password and passkey.',
  ),
  mail: optional(mailSchema).describe(
    'A mail server that sends invitations, reset links and alerts as e-mails. Without it, users pass links on themselves.',
  ),
  webhooks: webhooksSchema.prefault({}).describe('Where the gateway sends events.'),
  upstreams: list(upstreamSchema, 1000).describe('Providers that answer requests.'),
  models: list(modelSchema, 10_000).describe('The catalog of models.'),
  packages: prefault(z.array(packageSchema).max(1000), defaultPackages).describe(
    'Which models accounts may use, and their share under load.',
  ),
  sites: prefault(z.array(siteSchema).max(1000), defaultSites).describe(
    'Which models exist on which request domain. A domain without a site has none.',
  ),
  organisations: list(organisationSchema, 1000).describe(
    'Groups of accounts with common models, an optional limit on their spend together, and one bill ([teams.md](teams.md)). They are created if they do not exist; a field that is left out keeps its value.',
  ),
  accounts: list(accountSchema, 10_000).describe(
    'Accounts that are created if they do not exist. Accounts created elsewhere are not changed.',
  ),
});

type SchemaOutput = z.output<typeof configSchema>;

/** A valid configuration with camelCase names, durations in milliseconds, sizes in bytes and defaults filled in. */
export type Config = Omit<CamelCased<SchemaOutput>, 'upstreams' | 'models'> & {
  readonly upstreams: readonly UpstreamSpec[];
  readonly models: readonly ModelSpec[];
};

export function configFrom({ upstreams, models, ...rest }: SchemaOutput): Config {
  return { ...camelCased(rest), upstreams: upstreams.map(upstreamSpec), models: models.map(modelSpec) };
}
