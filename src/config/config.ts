import { z } from 'zod';
import { accountSchema } from './account.ts';
import { byteSizeWithin } from './byte-size.ts';
import { type CamelCased, camelCased } from './camel-case.ts';
import { codingAgents } from './coding-agents.ts';
import { duration, durationWithin } from './duration.ts';
import { egressSchema, isAddressOrRange } from './egress.ts';
import { limitsSchema } from './limits.ts';
import { mailSchema } from './mail.ts';
import { type ModelSpec, modelSchema, modelSpec } from './model.ts';
import { packageSchema } from './package.ts';
import { paymentsSchema } from './payments.ts';
import { signInSchema } from './sign-in.ts';
import { siteSchema } from './site.ts';
import { storedBodiesSchema } from './stored-bodies.ts';
import { telemetrySchema } from './telemetry.ts';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from './upstream.ts';
import { webhooksSchema } from './webhooks.ts';
import { breaks } from './wording.ts';

const listenSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(253)
    .prefault('127.0.0.1')
    .describe('Address to listen on; `0.0.0.0` opens the gateway to the network.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .prefault(8080)
    .describe(
      'Port; `0` takes any free one. Where none is written down and another program has 8080, the next free one up to 8089 is used and printed.',
    ),
  health_port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      'A second port that serves only `/healthz`, `/readyz` and `/metrics`, also under overload and until the last moment of a shutdown. None of them asks for a key there: keep the port to those who watch the gateway.',
    )
    .meta({ title: 'a port', sample: 8081 }),
  trusted_proxies: z
    .array(
      z
        .string()
        .max(64)
        .refine(isAddressOrRange, breaks('not_an_address_or_range'))
        .meta({ title: 'an address range', sample: '10.0.0.1, 10.1.0.0/16, fd12::/64' }),
    )
    .max(1000)
    .prefault([])
    .describe(
      'Proxies in front of the gateway. What they say in `X-Forwarded-For` or `Forwarded` counts as the client’s address, which slows down whoever guesses passwords and stands in the log, and their `X-Forwarded-Proto: https` as TLS, which cookies are marked with; nobody else’s word does.',
    ),
});

const waitingSchema = z.strictObject({
  hold_headers: durationWithin('0s', '5m')
    .prefault('10s')
    .describe('How long a waiting request keeps the chance of a true error status before 200 is committed.'),
  keep_alive_every: duration
    .prefault('10s')
    .describe('Pause between the comments that keep a waiting client connected.'),
  max_wait: duration
    .prefault('600s')
    .describe(
      'After this a request that got no turn fails with `overloaded`. One whose client says that it gives up earlier (`x-stainless-timeout`) fails a little before that.',
    ),
  max_requests: z
    .int()
    .min(100)
    .max(1_000_000)
    .prefault(20_000)
    .describe(
      'Requests that may wait at once. Beyond that the newest request of the account with the most waiting fails with `overloaded`; while others wait, no account may have more than a quarter.',
    ),
  max_bytes: byteSizeWithin('64MiB', '64GiB')
    .prefault('1GiB')
    .describe('Size of their bodies together; the same holds beyond it.'),
});

const logSchema = z.strictObject({
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .prefault('info')
    .describe('The least important lines still written.'),
  format: z
    .enum(['json', 'text'])
    .prefault('json')
    .describe('One JSON object a line, or text for people; the names are the same ([logs.md](logs.md)).'),
  sample: z
    .number()
    .min(0)
    .max(1)
    .prefault(1)
    .describe(
      'The part of the requests that went well of which there is a line. Of those that failed, were refused or lost their clients there always is one.',
    ),
});

const requestsSchema = z.strictObject({
  retention: durationWithin('1h', '3650d')
    .prefault('30d')
    .describe(
      'How long the log of requests is kept; older entries can no longer be explained. It never has what was said in them.',
    ),
  usage_retention: durationWithin('1d', '3650d')
    .prefault('400d')
    .describe(
      'How long the sums are kept that usage, and the speed and uptime of models, are shown from. They stay when the requests are deleted.',
    ),
});

const responsesSchema = z.strictObject({
  retention: z
    .preprocess((value) => (value === 0 || value === '0' ? '0s' : value), durationWithin('0s', '3650d'))
    .prefault('30d')
    .describe(
      'How long a response is kept that a client may refer to later (`previous_response_id`, `item_reference`, `GET /v1/responses/{id}`). Kept responses are encrypted. `0` keeps none, and says so to who refers to one.',
    )
    .meta({ title: 'a duration', sample: '0, 12h, 30d' }),
  response_bytes_max: byteSizeWithin('64KiB', '64MiB')
    .prefault('16MiB')
    .describe('Size of one kept response with what it was asked; a larger one must be asked for with `store: false`.'),
  account_bytes_max: byteSizeWithin('1MiB', '1024GiB')
    .prefault('1GiB')
    .describe('What an account may have in all; beyond it its oldest responses are deleted.'),
});

/** A file that speaks of neither gets these, so that its models can be reached at all. */
export const defaultPackages = [{ name: 'standard', models: ['*'] }];
export const defaultSites = [{ name: 'main', domains: ['*'], models: ['*'] }];

/** More than any machine has cores for. */
const workersMax = 256;

/** The whole configuration file. Its descriptions are `docs/configuration.md`. */
export const configSchema = z.strictObject({
  listen: listenSchema.prefault({}).describe('Where clients reach the gateway.'),
  data: z
    .string()
    .min(1)
    .prefault('./data')
    .describe('Folder of the embedded store and the secret key, relative to this file. Back it up; do not share it.'),
  database: z
    .string()
    .max(2000)
    .regex(/^postgres(ql)?:\/\/\S+$/, breaks('not_a_database_address'))
    .optional()
    .describe(
      'A PostgreSQL database that replaces the embedded store, so that several machines can share it. Needs `secret`, the same on all of them.',
    )
    .meta({ title: 'an address of a database', sample: '${DATABASE_URL}' }),
  workers: z
    .union([z.literal('auto'), z.int().min(1).max(workersMax)], breaks('not_workers'))
    .prefault(1)
    .describe(
      'Processes behind the one address; `auto` is one for each core. They share places and turns at upstreams. One is right until it has no processor left: it needs the least memory and no parent process.',
    )
    .meta({ title: '`auto` or a number', sample: 'auto' }),
  secret: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Replaces the key file in `data`, and must be set with `database`. `hex:` and the text of a key file is the secret of that file. Change it with `other_secrets`; changed at once, it is refused.',
    )
    .meta({ title: 'a secret', sample: '${GATEWAY_SECRET}' }),
  other_secrets: z
    .array(z.string().min(32))
    .max(4)
    .prefault([])
    .describe(
      'Secrets that are accepted beside `secret` while it is being changed: what was made with them works, and everything new is made with `secret`. `chat-gateway secret rotate` says when one can be removed. Read once, at the start.',
    )
    .meta({ title: 'a list of secrets', sample: ['${OLD_SECRET}'] }),
  messages_prefix: z
    .string()
    .max(64)
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, breaks('not_a_path_prefix'))
    .prefault('/anthropic')
    .describe('Path in front of the messages surface. Read once, at the start.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, breaks('not_a_currency'))
    .prefault('USD')
    .describe('The currency of every price and balance.'),
  support_email: z
    .email()
    .optional()
    .describe('Where users are sent with problems; shown in server-error messages.')
    .meta({ title: 'an e-mail address', sample: 'help@example.com' }),
  log: logSchema.prefault({}).describe('What the gateway writes about itself.'),
  telemetry: telemetrySchema.prefault({}).describe('What can be seen of the gateway from outside.'),
  limits: limitsSchema.prefault({}).describe('Bounds on what clients send; each protects everyone else.'),
  waiting: waitingSchema.prefault({}).describe('What a client sees while its request waits for a turn.'),
  shutdown_grace: durationWithin('0s', '1d')
    .prefault('600s')
    .describe(
      'How long running answers may go on after SIGTERM or SIGINT. What still runs then ends with an error frame, is charged and recorded.',
    ),
  requests: requestsSchema.prefault({}).describe('The log that explains a request id.'),
  responses: responsesSchema.prefault({}).describe('Responses that clients may refer to later.'),
  stored_bodies: storedBodiesSchema
    .optional()
    .describe(
      'Allows accounts to have the bodies of requests and answers stored, encrypted and for a short time, key by key (`store_bodies`). Without this section none are stored, whatever keys say, and those that were are deleted.',
    ),
  coding_agents: z
    .array(z.string().min(3).max(64))
    .max(200)
    .prefault(codingAgents)
    .describe(
      'How coding agents call themselves in `User-Agent`, `X-Title` or `HTTP-Referer`: beginnings of words, in any case. Their requests think with effort `max` unless they say otherwise.',
    ),
  egress: egressSchema
    .prefault({})
    .describe(
      'Upstreams that are added by command or API reach public addresses only. Upstreams in this file go where they say.',
    ),
  payments: paymentsSchema.prefault({}).describe('How customers pay in by themselves.'),
  sign_in: signInSchema.prefault({}).describe('How people sign in to the dashboard, beside password and passkey.'),
  mail: mailSchema
    .optional()
    .describe(
      'A mail server, if invitations, reset links and alerts shall be sent as letters. Without it people pass links on.',
    ),
  webhooks: webhooksSchema.prefault({}).describe('Who is told when something happens.'),
  upstreams: z.array(upstreamSchema).max(1000).prefault([]).describe('Providers that answer requests.'),
  models: z.array(modelSchema).max(10_000).prefault([]).describe('The catalog.'),
  packages: z
    .array(packageSchema)
    .max(1000)
    .prefault(defaultPackages)
    .describe('What accounts may use, and their share under load.'),
  sites: z
    .array(siteSchema)
    .max(1000)
    .prefault(defaultSites)
    .describe('Which models exist on which request domain. A domain of no site has none.'),
  accounts: z
    .array(accountSchema)
    .max(10_000)
    .prefault([])
    .describe('Accounts to make if they do not exist. Accounts made elsewhere are left alone.'),
});

type SchemaOutput = z.output<typeof configSchema>;

/** A valid configuration, in the names the code uses: durations in milliseconds, sizes in bytes, defaults filled in. */
export type Config = Omit<CamelCased<SchemaOutput>, 'upstreams' | 'models'> & {
  readonly upstreams: readonly UpstreamSpec[];
  readonly models: readonly ModelSpec[];
};

export function configFrom({ upstreams, models, ...rest }: SchemaOutput): Config {
  return { ...camelCased(rest), upstreams: upstreams.map(upstreamSpec), models: models.map(modelSpec) };
}
