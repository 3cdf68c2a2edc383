import { z } from 'zod';
import { type CamelCased, camelCased } from './camel-case.ts';
import { duration } from './duration.ts';
import { name } from './names.ts';

const address = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => !/^https?:\/\/[^/?#]*@/i.test(text),
    'must not contain a user or password; use `api_key` or `headers`',
  )
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
    completions: z.boolean().describe('Whether the provider has the legacy completions endpoint.'),
    suffix: z.boolean().describe('Whether that endpoint takes `suffix` (fill in the middle).'),
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
  .regex(/^[\x21-\x7e]+$/, 'must not be empty and must not contain spaces, line breaks or non-ASCII characters')
  .meta({ title: 'a secret', sample: '${ACME_KEY}' });

/** Connection and framing belong to the gateway; setting them from a file would corrupt requests. */
const headerName = z
  .string()
  .regex(/^(?!(?:host|connection|content-length|transfer-encoding|upgrade|te)$)[\w!#$%&'*+.^`|~-]+$/i, {
    error: 'must be a header name, and not one that frames the request',
  });

/** One entry of `upstreams:`. */
export const upstreamSchema = z.strictObject({
  name: name.describe('How routes, logs and the usage tag call it.'),
  kind: z
    .string()
    .min(1)
    .max(64)
    .describe(
      'A provider known by name (`chat-gateway upstreams presets` lists them), `openai` with a `base_url` for any other of the chat-completions format, or `simulated`.',
    ),
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
  headers: z
    .record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII on one line'))
    .optional()
    .describe('Extra headers sent with every request.'),
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
};

/** Renames the fields but not the headers, whose names are the provider's. */
export function upstreamSpec({ headers, ...rest }: z.output<typeof upstreamSchema>): UpstreamSpec {
  return { ...camelCased(rest), headers };
}
