import { check, group } from '../check.ts';
import { contentOf, reasoningOf } from '../chat-stream.ts';
import type { Fields } from '../context.ts';
import { expectThat } from '../outcome.ts';
import { streamRules } from '../stream-rules.ts';
import { toolCallsOf } from '../tool-calls.ts';
import { describe } from '../wording.ts';

const streaming = { stream: true };

export const streamShape = group('stream-shape', 'The stream of POST /v1/chat/completions', [
  always('stream-true', 'With stream: true the reply is a stream', streaming),
  always('stream-false', 'With stream: false the reply is still a stream', { stream: false }),
  always('stream-absent', 'Without a stream field the reply is a stream', {}),
  check('reply', 'The stream has content', async ({ chat }) => {
    const stream = await chat(streaming);
    const hasContent = contentOf(stream) !== '' || reasoningOf(stream) !== '' || toolCallsOf(stream).length > 0;
    expectThat(hasContent, 'some text, reasoning or tool call', `none in ${describe(stream.reply)}`);
  }),
  ...streamRules.map((rule) =>
    check(rule.slug, rule.title, async ({ chat }) => {
      rule.check(await chat(streaming));
    }),
  ),
]);

function always(slug: string, title: string, fields: Fields) {
  return check(slug, title, async ({ chat }) => {
    const { reply } = await chat(fields);
    expectThat(reply.mediaType === 'text/event-stream', 'Content-Type: text/event-stream', describe(reply));
  });
}
