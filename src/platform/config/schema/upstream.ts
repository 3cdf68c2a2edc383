import { optional, prefault, z } from 'zod';
import { bool, flag, text, webUrl, whole } from './fields.ts';
import { type CamelCased, camelCased } from './values/camel-case.ts';
import { duration } from './values/duration.ts';
import { name } from './names.ts';
import { proxySchema } from './proxy.ts';
import { serviceAccountText } from './service-account.ts';
import { breaks } from '../file/wording.ts';

const address = webUrl
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), breaks('address_with_credentials'))
  .meta({ title: 'an address', sample: 'https://api.acme.example/v1' });

/** Differences of a provider from the standard chat-completions format. Presets set them; a file may override each. */
const quirksSchema = z
  .strictObject({
    max_tokens_field: z
      .enum(['max_tokens', 'max_completion_tokens'])
      .describe('The provider’s field for the cap on generated tokens.'),
    thinking_style: z
      .enum([
        'both',
        'thinking',
        'reasoning_effort',
        'enable_thinking',
        'chat_template_kwargs',
        'reasoning',
        'thinking_config',
        'none',
      ])
      .describe(
        'How thinking and its effort are sent to the provider: `both` sends `thinking` and `reasoning_effort`, `none` sends nothing, the others name the one field that is sent. If neither this nor the preset names a style, `both` is used for what clients send, and the defaults of a model with `thinking: true` are not sent.',
      ),
    effort_high: z.string().min(1).describe('The provider’s value for high effort.'),
    effort_max: z.string().min(1).describe('The provider’s value for the highest effort.'),
    user_field: z
      .enum(['user_id', 'user', 'none'])
      .describe('The provider’s field for the end-user label; `none` does not send it.'),
    usage_option: bool.describe('Whether `stream_options.include_usage` may be sent.'),
    cache_affinity: z
      .enum(['prompt_cache_key', 'x-session-affinity', 'x-grok-conv-id', 'none'])
      .describe(
        'The field or header that names the conversation of a request, so that the provider finds the prompt in its cache. Sent for models with `cache: auto`. The name is a keyed hash that reveals nothing about the conversation. On the responses endpoint it always is `prompt_cache_key`.',
      ),
    stop_max: whole(0, 1000).describe(
      'How many stop sequences the provider accepts and enforces. No more are sent; the gateway enforces the others, or all of them if this is not set.',
    ),
    max_tokens: bool.describe('Whether the provider enforces the cap on generated tokens, reasoning included.'),
    strict: bool.describe(
      'Whether the provider ensures that arguments of tools with `strict: true` fit their schema. Models are then not re-prompted for it.',
    ),
    tool_choice: bool.describe(
      'Whether the provider ensures that a required call is made, and a forbidden one is not.',
    ),
    json: z
      .enum(['object', 'schema'])
      .describe(
        'Which `response_format` the provider enforces itself: `object` is `json_object`; `schema` is also `json_schema` with `strict: true`.',
      ),
    reasoning_replay: bool.describe(
      'Whether a translated request sends the reasoning of earlier turns back as `reasoning_content`. Some providers need it between tool calls, others refuse it.',
    ),
    responses: z
      .union([bool, z.literal('only')], breaks('not_a_stream_option'))
      .describe(
        'Whether the provider has the responses endpoint. Requests of that format are then passed through to it. With `only` it has no other endpoint, and all requests go there.',
      ),
    embeddings_max: whole(1, 2048).describe(
      'Maximum number of texts that the provider embeds in one call. A request with more becomes several calls, one after another, with one answer and one charge.',
    ),
    completions: bool.describe('Whether the provider has the legacy completions endpoint.'),
    suffix: bool.describe('Whether that endpoint accepts `suffix` (fill in the middle).'),
    messages_thinking: z
      .enum(['budget', 'adaptive', 'none'])
      .describe(
        'How thinking is requested from a provider of the messages format: with a number of tokens, adaptively, or not at all. Chosen by the name of the model if left out.',
      ),
    completions_url: address.describe('Base address of the completions endpoint, if it differs.'),
    prefix_style: z
      .enum(['prefix', 'partial', 'continue_final_message', 'none'])
      .describe(
        'How an answer that broke off at another provider is continued: the flag that marks the last message as the beginning of the answer. `none` if the provider needs no flag.',
      ),
    prefix_url: address.describe('Base address for continued answers, if it differs.'),
  })
  .partial();

const timeoutsSchema = z.strictObject({
  connect: duration.prefault('5s').describe('Until the connection is open, TLS included.'),
  first_event: duration.prefault('120s').describe('From sending the request to the first event of the answer.'),
  idle: duration.prefault('120s').describe('Between two events of a running answer; comments do not count.'),
  total: duration.prefault('30m').describe('The whole answer.'),
});

/** Without this check, a stray line break in a credential would appear much later, as a failed request. */
const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, breaks('not_a_secret'))
  .meta({ title: 'a secret', sample: '${ACME_KEY}' });

/** Excludes connection and framing headers: the gateway sets them, and values from a file would corrupt requests. */
const headerName = z
  .string()
  .regex(
    /^(?!(?:host|connection|content-length|transfer-encoding|upgrade|te)$)[\w!#$%&'*+.^`|~-]+$/i,
    breaks('not_a_header_name'),
  );

/** Becomes part of a host name, so it must not contain characters that could change the host. */
const hostLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, breaks('not_letters_digits_hyphens'));

/** Fields that only some providers have. `UpstreamKind.own` defines which kind takes and needs which. */
const ownFields = {
  region: optional(hostLabel)
    .describe('The cloud’s region; required for `bedrock`.')
    .meta({ title: 'a region', sample: 'us-east-1' }),
  access_key_id: optional(credential).describe(
    'With `secret_access_key`, the credential of `bedrock` instead of `api_key`.',
  ),
  secret_access_key: credential.optional().describe('See `access_key_id`.'),
  session_token: credential.optional().describe('Belongs to an `access_key_id` that is valid for a limited time.'),
  project: z
    .string()
    .max(100)
    .regex(/^[a-z0-9][a-z0-9:.-]*$/i, breaks('not_a_project'))
    .optional()
    .describe('The cloud project of `vertex`.')
    .meta({ title: 'a project', sample: 'my-project-123' }),
  location: optional(hostLabel)
    .describe('Where `vertex` runs the model; `global` if left out.')
    .meta({ title: 'a location', sample: 'europe-west4' }),
  service_account: optional(serviceAccountText).describe(
    'The JSON document of a service account’s key, as text: the credential of `vertex` instead of `api_key`.',
  ),
  resource_name: optional(hostLabel)
    .describe('The name of the `azure` resource, which is the first part of its host.')
    .meta({ title: 'a resource name', sample: 'my-resource' }),
  api_version: z
    .string()
    .max(64)
    .regex(
      /^(?!\d)[\w.-]+$/,
      breaks('not_a_version', {
        examples: '`preview`',
      }),
    )
    .optional()
    .describe(
      'The version of the `azure` API, such as `preview`. Its `v1` address needs none, and versions with a date are refused.',
    )
    .meta({ title: 'a version', sample: 'preview' }),
};

export const ownFieldNames: readonly string[] = Object.keys(ownFields);

/** Fields whose values are never shown again. */
export const secretFields = [
  'api_key',
  'api_keys',
  'headers',
  'access_key_id',
  'secret_access_key',
  'session_token',
  'service_account',
] as const;

/** Fields about the gateway's machine and network: only the configuration file may set them. */
export const fileOnlyFields = ['proxy', 'ca_file'] as const;

export const upstreamSchema = z.strictObject({
  name: name.describe('Its name in routes, logs and the usage tag.'),
  kind: text(1, 64).describe(
    'A provider with a preset (`chat-gateway upstreams presets` lists them), `openai` with a `base_url` for any other provider of the chat-completions format, or `simulated`.',
  ),
  enabled: prefault(bool, true).describe(
    'Whether it gets requests. If not, models that only it serves are not offered.',
  ),
  base_url: address.optional().describe('Address of the API; presets have a default.'),
  api_key: credential.optional().describe('The credential; best written as `${NAME}`.'),
  api_keys: z
    .array(credential)
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'Several credentials, used in parallel, instead of `api_key`. A credential that the provider refuses or rate-limits is skipped while the others answer.',
    ),
  ...ownFields,
  headers: optional(
    z.record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, breaks('not_one_line_of_ascii'))),
  ).describe('Extra headers sent with every request.'),
  proxy: optional(proxySchema).describe(
    'The HTTP proxy for requests to it, or `none`. If left out, the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` decide. Only in the file.',
  ),
  ca_file: optional(text(1, 4096))
    .describe(
      'A PEM file of certificates to trust for the provider, or for a proxy that intercepts TLS, in addition to those that Node trusts. Only in the file.',
    )
    .meta({ title: 'a path', sample: './company-ca.pem' }),
  pass_trace: flag.describe(
    'Whether traced calls carry `traceparent` and `tracestate`, each with the id of its own span, so that a server of your own can continue the trace. Other providers do not need it.',
  ),
  max_concurrency: prefault(whole(1, 100_000), 64).describe(
    'Answers that run at once; further requests wait for a slot.',
  ),
  timeouts: timeoutsSchema.prefault({}).describe('How long the gateway waits for each step before the call fails.'),
  quirks: prefault(quirksSchema, {}).describe(
    'Differences from the standard wire format; values that are left out come from the preset.',
  ),
});

export type UpstreamSpec = Omit<CamelCased<z.output<typeof upstreamSchema>>, 'headers'> & {
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Set for upstreams that are not from the file: the private addresses that they may connect to. */
  readonly egressAllow?: readonly string[];
  /** The content of `ca_file`. */
  readonly ca?: string;
};

/** Renames the fields, except the names of headers, which the provider defines. */
export function upstreamSpec({ headers, ...rest }: z.output<typeof upstreamSchema>): UpstreamSpec {
  return { ...camelCased(rest), headers };
}
