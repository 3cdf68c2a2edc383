import { check, group } from '../check.ts';
import { type ChatStream, usageOf } from '../chat-stream.ts';
import type { Fields } from '../context.ts';
import { at, isCount, isText } from '../json.ts';
import { expectThat } from '../outcome.ts';
import { usageLast } from '../stream-rules.ts';
import { show } from '../wording.ts';

const streaming = { stream: true };

export const usage = group('usage', 'The usage on the last chunk', [
  reported('without-options', 'The usage is sent without include_usage', { stream: true }),
  reported('include-usage', 'With include_usage the usage is sent once', withUsage({ stream: true }, true)),
  reported(
    'include-usage-false',
    'With include_usage: false the usage is still sent',
    withUsage({ stream: true }, false),
  ),
  reported('stream-false', 'With stream: false the usage is still sent', { stream: false }),
  check('counts', 'Prompt, completion and total are counted in whole tokens', async ({ chat }) => {
    const counts = usageOf(await chat(streaming));
    for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
      expectThat(isCount(counts[field]) && counts[field] > 0, `${field} to be a positive integer`, show(counts));
    }
  }),
  check('total', 'The total is prompt plus completion', async ({ chat }) => {
    const { prompt_tokens, completion_tokens, total_tokens } = usageOf(await chat(streaming));
    const sum = Number(prompt_tokens) + Number(completion_tokens);
    expectThat(
      total_tokens === sum,
      `total_tokens ${sum}`,
      `${show(prompt_tokens)} + ${show(completion_tokens)} = ${show(total_tokens)}`,
    );
  }),
  check('longer-prompt', 'A longer prompt counts more tokens', async ({ chat }) => {
    const content = `Say hello in one sentence. ${'The quick brown fox jumps over the lazy dog. '.repeat(12)}`;
    const short = usageOf(await chat(streaming)).prompt_tokens;
    const long = usageOf(await chat({ stream: true, messages: [{ role: 'user', content }] })).prompt_tokens;
    expectThat(Number(long) > Number(short), `more than ${show(short)} prompt_tokens`, show(long));
  }),
  check('prompt-details', 'The prompt is broken down into cached, text, audio and image tokens', async ({ chat }) => {
    const fields = ['cached_tokens', 'text_tokens', 'audio_tokens', 'image_tokens'];
    expectDetails(await chat(streaming), 'prompt_tokens', fields);
  }),
  check(
    'completion-details',
    'The completion is broken down into text, audio and reasoning tokens',
    async ({ chat }) => {
      expectDetails(await chat(streaming), 'completion_tokens', ['text_tokens', 'audio_tokens', 'reasoning_tokens']);
    },
  ),
  check('input-tokens', 'input_tokens repeats prompt_tokens', async ({ chat }) => {
    const { prompt_tokens, input_tokens } = usageOf(await chat(streaming));
    expectThat(
      input_tokens === prompt_tokens && isCount(input_tokens),
      `input_tokens ${show(prompt_tokens)}`,
      show(input_tokens),
    );
  }),
  check('output-tokens', 'output_tokens is always 0', async ({ chat }) => {
    const { output_tokens } = usageOf(await chat(streaming));
    expectThat(output_tokens === 0, 'output_tokens 0', show(output_tokens));
  }),
  check('cache-buckets', 'Both prompt-cache buckets are counted', async ({ chat }) => {
    const counts = usageOf(await chat(streaming));
    for (const field of ['upstream_cache_creation_5_m_tokens', 'upstream_cache_creation_1_h_tokens']) {
      expectThat(isCount(counts[field]), `${field} to be an integer`, show(counts[field]));
    }
  }),
  check('tags', 'The usage names its wire format and its source', async ({ chat }) => {
    const counts = usageOf(await chat(streaming));
    for (const field of ['usage_semantic', 'usage_source']) {
      expectThat(isText(counts[field]), `${field} to be a word`, show(counts[field]));
    }
  }),
]);

function reported(slug: string, title: string, fields: Fields) {
  return check(slug, title, async ({ chat }) => usageLast(await chat(fields)));
}

function withUsage(fields: Fields, include: boolean): Fields {
  return { ...fields, stream_options: { include_usage: include } };
}

function expectDetails(stream: ChatStream, counted: string, fields: readonly string[]): void {
  const all = usageOf(stream);
  const details = all[`${counted}_details`];
  for (const field of fields) {
    const part = at(details, field);
    expectThat(isCount(part), `${counted}_details.${field} to be an integer`, show(details));
    expectThat(part <= Number(all[counted]), `${counted}_details.${field} not above ${counted}`, show(all));
  }
}
