import { z } from 'zod';
import type { CamelCased } from './camel-case.ts';
import { duration } from './duration.ts';

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
    effort_high: z.string().describe('The provider’s word for high effort.'),
    effort_max: z.string().describe('The provider’s word for the highest effort.'),
    user_field: z
      .enum(['user_id', 'user', 'none'])
      .describe('The name under which the end-user label goes up; `none` keeps it here.'),
    usage_option: z.boolean().describe('Whether `stream_options.include_usage` may be sent.'),
    completions: z.boolean().describe('Whether the provider has the legacy completions endpoint.'),
    suffix: z.boolean().describe('Whether that endpoint takes `suffix` (fill in the middle).'),
    completions_url: z.url().describe('Base address of the completions endpoint where it differs.'),
  })
  .partial();

const timeoutsSchema = z.strictObject({
  connect: duration.prefault('5s').describe('Until a connection stands, TLS included.'),
  first_event: duration.prefault('120s').describe('From sending the request to the first event of the answer.'),
  idle: duration.prefault('120s').describe('Between two events of a running answer; comments do not count.'),
  total: duration.prefault('30m').describe('The whole answer.'),
});

/** One entry of `upstreams:`. */
export const upstreamSchema = z.strictObject({
  name: z.string().min(1).max(64).describe('How routes, logs and the usage tag call it.'),
  kind: z
    .string()
    .min(1)
    .describe('`openai` for any provider of the chat-completions format, `simulated`, or the name of a preset.'),
  base_url: z.url({ protocol: /^https?$/ }).optional().describe('Where the API lives; presets know theirs.'),
  api_key: z.string().min(1).optional().describe('The credential; best written as ${NAME}.'),
  api_keys: z.array(z.string().min(1)).min(1).optional().describe('Several credentials, used in turn.'),
  headers: z.record(z.string(), z.string()).optional().describe('Extra headers sent with every request.'),
  max_concurrency: z.int().min(1).max(100_000).prefault(64).describe('Answers running at once; more wait their turn.'),
  timeouts: timeoutsSchema.prefault({}),
  quirks: quirksSchema.prefault({}),
});

export type UpstreamSpec = Omit<CamelCased<z.output<typeof upstreamSchema>>, 'headers'> & {
  readonly headers: Readonly<Record<string, string>> | undefined;
};
export type Quirks = UpstreamSpec['quirks'];
