import { check, group } from '../check.ts';
import { chatPath, type Fields } from '../context.ts';
import { at, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectRejected, isUpstreamRejection } from '../refusal.ts';
import { describe, show } from '../wording.ts';

export const limits = group('limits', 'Limits on fields', [
  accepted('temperature-range', 'temperature may be 0 to 2', [{ temperature: 0 }, { temperature: 2 }]),
  rejected('temperature', 'A temperature outside 0 to 2 is rejected', each('temperature', -0.1, 2.01, 'warm')),
  accepted('top-p-range', 'top_p may be 0 to 1', [{ top_p: 0 }, { top_p: 1 }]),
  rejected('top-p', 'A top_p outside 0 to 1 is rejected', each('top_p', -0.01, 1.01, {})),
  accepted('stop-16', 'Sixteen stop sequences are accepted', [{ stop: words(16) }]),
  rejected(
    'stop',
    'Seventeen stop sequences, or one that is not a string, are rejected',
    each('stop', words(17), [1], {}),
  ),
  accepted('tools-128', '128 tools are accepted', [{ tools: words(128).map(tool), tool_choice: 'none' }]),
  rejected('tools', '129 tools are rejected', each('tools', words(129).map(tool))),
  rejected(
    'tool-type',
    'A tool that is not a function is rejected',
    each('tools', [{ ...tool('a'), type: 'web' }], [null]),
  ),
  accepted('tool-name-64', 'A function name may have 64 letters, digits, _ and -', [
    { tools: [tool(`Az_0-9${'n'.repeat(58)}`)], tool_choice: 'none' },
  ]),
  rejected(
    'tool-name',
    'A function name that is empty, longer than 64 or has other characters is rejected',
    ['', 'n'.repeat(65), 'two words', 'naïve', 'a.b'].map((name) => ({ tools: [tool(name)] })),
  ),
  rejected('tool-choice', 'An unknown tool_choice is rejected', [{ tools: [tool('a')], tool_choice: 'sometimes' }]),
  accepted('user-id-512', 'A user_id of 512 characters is accepted', [{ user_id: 'u'.repeat(512) }]),
  rejected('user-id-513', 'A user_id of 513 characters is rejected', each('user_id', 'u'.repeat(513))),
  rejected(
    'user-id',
    'A user_id with other characters is rejected',
    each('user_id', 'a b', 'someone@example.com', '用户', 5),
  ),
  rejected(
    'top-logprobs',
    'A top_logprobs outside 0 to 20 is rejected',
    [-1, 21, 1.5].map((count) => ({ logprobs: true, top_logprobs: count })),
  ),
  rejected('top-logprobs-alone', 'top_logprobs without logprobs is rejected', [
    { top_logprobs: 2 },
    { logprobs: false, top_logprobs: 2 },
  ]),
  accepted('top-logprobs-range', 'top_logprobs may be 0 to 20', [
    { logprobs: true, top_logprobs: 0 },
    { logprobs: true, top_logprobs: 20 },
  ]),
  rejected('logprobs', 'logprobs that is not a boolean is rejected', each('logprobs', 'true', 1)),
  rejected(
    'max-tokens',
    'max_tokens that is negative or not an integer is rejected',
    each('max_tokens', -1, 1.5, 'many'),
  ),
  rejected('format', 'An unknown response_format is rejected', each('response_format', { type: 'xml' }, 'json')),
  rejected('stream', 'A stream field that is not a boolean is rejected', each('stream', 'yes', 1)),
  rejected('thinking', 'An unknown thinking type is rejected', each('thinking', { type: 'sometimes' }, 'on')),
  rejected('effort', 'An unknown reasoning_effort is rejected', each('reasoning_effort', 'ultra', 3)),
  rejected('model', 'A model that is missing or not a string is rejected', each('model', undefined, null, 7, [])),
  check('object', 'A JSON body that is not an object is rejected', async ({ send }) => {
    for (const body of ['[]', '1', '"text"', 'null']) {
      const reply = await send({ method: 'POST', path: chatPath, body });
      expectThat(reply.status === 400, `400 for the body ${body}`, describe(reply));
    }
  }),
  check('named', 'If the gateway rejects a field, its message names the field', async ({ post }) => {
    const reply = await post({ temperature: 2.01 });
    if (isUpstreamRejection(reply)) skip('the upstream rejected it, not the gateway');
    const message = at(parsed(reply.text), 'error', 'message');
    expectThat(String(message).includes('temperature'), 'a message that names temperature', show(message));
  }),
]);

function accepted(slug: string, title: string, all: readonly Fields[]) {
  return check(slug, title, async ({ attempt }) => {
    for (const fields of all) await attempt(fields);
  });
}

function rejected(slug: string, title: string, all: readonly Fields[]) {
  return check(slug, title, async ({ post }) => {
    for (const fields of all) expectRejected(await post(fields), fields);
  });
}

function each(field: string, ...values: readonly unknown[]): readonly Fields[] {
  return values.map((value) => ({ [field]: value }));
}

function words(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `word_${index}`);
}

function tool(name: string): Fields {
  return { type: 'function', function: { name } };
}
