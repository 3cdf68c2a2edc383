import { check, group } from '../check.ts';
import { type Fields, unlistedField } from '../context.ts';
import { at, parsed } from '../json.ts';
import { expectThat } from '../outcome.ts';
import { isUpstreamRejection } from '../refusal.ts';
import { describe } from '../wording.ts';

const nullable = [
  'max_tokens',
  'temperature',
  'top_p',
  'response_format',
  'stop',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'thinking',
  'reasoning_effort',
  'user_id',
  'logprobs',
  'top_logprobs',
  'frequency_penalty',
  'presence_penalty',
];
const toolFunction = {
  name: 'get_time',
  description: 'Current time of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
};
const anything = [0.5, -9, 'high', true, [1], { a: [null] }];

export const fields = group('fields', 'Fields that are accepted', [
  check('null', 'Every optional field may be null', async ({ chat }) => {
    await chat(Object.fromEntries(nullable.map((field) => [field, null])));
  }),
  check('frequency-penalty', 'frequency_penalty is accepted with any value and ignored', async ({ chat }) => {
    for (const value of anything) await chat({ frequency_penalty: value });
  }),
  check('presence-penalty', 'presence_penalty is accepted with any value and ignored', async ({ chat }) => {
    for (const value of anything) await chat({ presence_penalty: value });
  }),
  check('stream-options', 'stream_options is accepted without stream: true', async ({ chat }) => {
    await chat({ stream_options: { include_usage: true } });
    await chat({ stream: false, stream_options: { include_usage: true } });
  }),
  accepted('sampling', 'temperature and top_p may be set together', [{ temperature: 1, top_p: 1 }]),
  accepted('text-format', 'response_format may be text', [{ response_format: { type: 'text' } }]),
  accepted('stop', 'stop may be a string or a list', [{ stop: 'zzz' }, { stop: ['zzz', 'yyy'] }]),
  accepted('thinking', 'thinking may be enabled or disabled', [
    { thinking: { type: 'enabled' } },
    { thinking: { type: 'disabled' } },
  ]),
  accepted(
    'effort',
    'reasoning_effort may be low, medium, high, xhigh or max',
    ['low', 'medium', 'high', 'xhigh', 'max'].map((effort) => ({ reasoning_effort: effort })),
  ),
  accepted('tool', 'A tool may have a description, parameters and strict', [
    { tools: [{ type: 'function', function: toolFunction }], tool_choice: 'none' },
  ]),
  accepted('user-id', 'user_id may contain letters, digits, _ and -', [{ user_id: 'Customer_42-a' }]),
  check('unlisted', 'A field that the contract does not list is passed to the upstream', async ({ post }) => {
    const reply = await post(unlistedField);
    const isAccepted = reply.status === 200 || isUpstreamRejection(reply);
    const type = at(parsed(reply.text), 'error', 'type');
    expectThat(isAccepted && type !== 'gateway_error', '200, or a rejection by the upstream', describe(reply));
  }),
]);

function accepted(slug: string, title: string, all: readonly Fields[]) {
  return check(slug, title, async ({ attempt }) => {
    for (const one of all) await attempt(one);
  });
}
