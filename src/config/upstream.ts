import { z } from 'zod';
import { type CamelCased, camelCased } from './camel-case.ts';
import { duration } from './duration.ts';
import { name } from './names.ts';
import { proxySchema } from './proxy.ts';
import { serviceAccountText } from './service-account.ts';
import { breaks } from './wording.ts';

const address = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), breaks('address_with_credentials'))
  .meta({ title: 'an address', sample: 'https://api.acme.example/v1' });

/** How a provider departs from the plain chat-completions format. Presets fill these in; a file may override each. */
const quirksSchema = z
  .strictObject({
    max_tokens_field: z
      .enum(['max_tokens', 'max_completion_tokens'])
      .describe('The name under which the provider takes the cap on generated tokens.'),
    thinking_style: z
      .enum(['both', 'thinking', 'reasoning_effort', 'enable_thinking', 'chat_template_kwargs', 'reasoning', 'none'])
      .describe(
        'How thinking and its effort are told to the provider: `both` sends the contract’s `thinking` and `reasoning_effort`, `none` sends nothing, the others name the one field that is sent.',
      ),
    effort_high: z.string().min(1).describe('The provider’s word for high effort.'),
    effort_max: z.string().min(1).describe('The provider’s word for the highest effort.'),
    user_field: z
      .enum(['user_id', 'user', 'none'])
      .describe('The name under which the end-user label goes up; `none` keeps it here.'),
    usage_option: z.boolean().describe('Whether `stream_options.include_usage` may be sent.'),
    cache_affinity: z
      .enum(['prompt_cache_key', 'x-session-affinity', 'x-grok-conv-id', 'none'])
      .describe(
        'The field or header by which the provider is told which requests belong to one conversation, so that they find the prompt in its cache; sent for models with `cache: auto`. The name is a keyed hash that says nothing about the conversation. On the responses endpoint it always is `prompt_cache_key`.',
      ),
    stop_max: z
      .int()
      .min(0)
      .max(1000)
      .describe(
        'How many stop sequences the provider takes and keeps to. No more than these are sent; the gateway keeps to the others, and to all of them where this is not known.',
      ),
    max_tokens: z
      .boolean()
      .describe(
        'Whether no answer goes on past the cap on generated tokens, thoughts included, because the provider sees to it.',
      ),
    strict: z
      .boolean()
      .describe(
        'Whether arguments of tools with `strict: true` fit their schema because the provider sees to it. Models are not asked again for it then.',
      ),
    tool_choice: z
      .boolean()
      .describe('Whether a demanded call is made, and a forbidden one is not, because the provider sees to it.'),
    json: z
      .enum(['object', 'schema'])
      .describe(
        'Which `response_format` the provider keeps to by itself: `object` is `json_object`; `schema` is also `json_schema` with `strict: true`.',
      ),
    reasoning_replay: z
      .boolean()
      .describe(
        'Whether what the model thought in earlier turns goes back as `reasoning_content` when a request is translated. Some providers need it between tool calls, others refuse it.',
      ),
    responses: z
      .union([z.boolean(), z.literal('only')], breaks('not_a_stream_option'))
      .describe(
        'Whether the provider has the responses endpoint: clients of that format are then passed through to it. With `only` it has no other, and everybody is sent there.',
      ),
    embeddings_max: z
      .int()
      .min(1)
      .max(2048)
      .describe(
        'How many texts the provider embeds in one call. A request with more becomes several calls, one after another, with one answer and one charge.',
      ),
    completions: z.boolean().describe('Whether the provider has the legacy completions endpoint.'),
    suffix: z.boolean().describe('Whether that endpoint takes `suffix` (fill in the middle).'),
    messages_thinking: z
      .enum(['budget', 'adaptive', 'none'])
      .describe(
        'How a provider of the messages format is asked to think: with a number of tokens, as it sees fit, or not at all. Chosen by the name of the model if left out.',
      ),
    completions_url: address.describe('Base address of the completions endpoint where it differs.'),
    prefix_style: z
      .enum(['prefix', 'partial', 'continue_final_message', 'none'])
      .describe(
        'How an answer that broke off elsewhere is continued: the flag that marks the last message as the beginning of the answer; `none` where the provider goes on from it without one.',
      ),
    prefix_url: address.describe('Base address for continued answers where it differs.'),
  })
  .partial();

const timeoutsSchema = z.strictObject({
  connect: duration.prefault('5s').describe('Until a connection stands, TLS included.'),
  first_event: duration.prefault('120s').describe('From sending the request to the first event of the answer.'),
  idle: duration.prefault('120s').describe('Between two events of a running answer; comments do not count.'),
  total: duration.prefault('30m').describe('The whole answer.'),
});

/** A stray line break in a credential would otherwise surface as a failed request much later. */
const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, breaks('not_a_secret'))
  .meta({ title: 'a secret', sample: '${ACME_KEY}' });

/** Connection and framing belong to the gateway; setting them from a file would corrupt requests. */
const headerName = z
  .string()
  .regex(/^(?!(?:host|connection|content-length|transfer-encoding|upgrade|te)$)[\w!#$%&'*+.^`|~-]+$/i, {
    ...breaks('not_a_header_name'),
  });

/** Becomes part of a host, so that nothing may be in it that could lead elsewhere. */
const placeName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, breaks('not_letters_digits_hyphens'));

/** What only providers with a protocol of their own ask for. Which of them needs what is said by its kind. */
const ownFields = {
  region: placeName
    .optional()
    .describe('The cloud’s region; `bedrock` needs it.')
    .meta({ title: 'a region', sample: 'us-east-1' }),
  access_key_id: credential
    .optional()
    .describe('With `secret_access_key`, the credential of `bedrock` in place of `api_key`.'),
  secret_access_key: credential.optional().describe('See `access_key_id`.'),
  session_token: credential.optional().describe('Belongs to an `access_key_id` that is valid for a time only.'),
  project: z
    .string()
    .max(100)
    .regex(/^[a-z0-9][a-z0-9:.-]*$/i, breaks('not_a_project'))
    .optional()
    .describe('The cloud project of `vertex`.')
    .meta({ title: 'a project', sample: 'my-project-123' }),
  location: placeName
    .optional()
    .describe('Where `vertex` runs the model; `global` if left out.')
    .meta({ title: 'a location', sample: 'europe-west4' }),
  service_account: serviceAccountText
    .optional()
    .describe(
      'The JSON document of a service account’s key, as text: the credential of `vertex` in place of `api_key`.',
    ),
  resource_name: placeName
    .optional()
    .describe('The name of the `azure` resource, which is the first part of its host.')
    .meta({ title: 'a resource name', sample: 'my-resource' }),
  api_version: z
    .string()
    .max(64)
    .regex(/^[\w.-]+$/, breaks('not_a_version', { examples: '`2024-10-21` or `preview`' }))
    .optional()
    .describe('The version of the `azure` API; one with a date uses the older addresses that name the deployment.')
    .meta({ title: 'a version', sample: '2024-10-21' }),
};

export const ownFieldNames: readonly string[] = Object.keys(ownFields);

/** Fields whose values nobody gets to see again. */
export const secretFields = [
  'api_key',
  'api_keys',
  'headers',
  'access_key_id',
  'secret_access_key',
  'session_token',
  'service_account',
] as const;

/** What is about the machine and the network the gateway is in: only who writes its file may say that. */
export const fileOnlyFields = ['proxy', 'ca_file'] as const;

/** One entry of `upstreams:`. */
export const upstreamSchema = z.strictObject({
  name: name.describe('How routes, logs and the usage tag call it.'),
  kind: z
    .string()
    .min(1)
    .max(64)
    .describe(
      'A provider known by name (`chat-gateway upstreams presets` lists them, among them `bedrock`, `google`, `vertex`, `azure`, `cohere` and `mistral` with protocols of their own), `openai` with a `base_url` for any other of the chat-completions format, or `simulated`.',
    ),
  enabled: z
    .boolean()
    .prefault(true)
    .describe('Whether it gets requests. Without it, models that only it answers are not offered.'),
  base_url: address.optional().describe('Where the API lives; presets know theirs.'),
  api_key: credential.optional().describe('The credential; best written as `${NAME}`.'),
  api_keys: z
    .array(credential)
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'Several credentials, used side by side; in place of `api_key`. One that the provider refuses or slows down is left out while the others answer.',
    ),
  ...ownFields,
  headers: z
    .record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, breaks('not_one_line_of_ascii')))
    .optional()
    .describe('Extra headers sent with every request.'),
  proxy: proxySchema
    .optional()
    .describe(
      'The HTTP proxy that requests to it go through, or `none`. Left out, `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` of the environment decide. Only in the file.',
    ),
  ca_file: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'A file of certificates in PEM form that vouch for the provider, or for a proxy that opens TLS, beside those that Node trusts. Only in the file.',
    )
    .meta({ title: 'a path', sample: './company-ca.pem' }),
  pass_trace: z
    .boolean()
    .prefault(false)
    .describe(
      'Whether calls that are traced carry `traceparent` and `tracestate`, so that a server of your own goes on with the trace: each call with the id of its own span. Others need not know of it.',
    ),
  max_concurrency: z.int().min(1).max(100_000).prefault(64).describe('Answers running at once; more wait their turn.'),
  timeouts: timeoutsSchema.prefault({}).describe('How long to wait for what before giving the provider up.'),
  quirks: quirksSchema
    .prefault({})
    .describe('Departures from the plain wire format; what is left out comes from the preset.'),
});

export type UpstreamSpec = Omit<CamelCased<z.output<typeof upstreamSchema>>, 'headers'> & {
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Set for upstreams that did not come from the file: of private addresses, only these may be connected to. */
  readonly egressAllow?: readonly string[];
  /** What `ca_file` holds. */
  readonly ca?: string;
};

/** Renames the fields but not the headers, whose names are the provider's. */
export function upstreamSpec({ headers, ...rest }: z.output<typeof upstreamSchema>): UpstreamSpec {
  return { ...camelCased(rest), headers };
}
