import { chatStream } from '../chat-stream.ts';
import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import { chatPath, type Context } from '../context.ts';
import { expectHeaders } from '../gateway-headers.ts';
import { expectThat, UnmetExpectation } from '../outcome.ts';
import { expectEnvelope } from '../refusal.ts';
import { streamRules } from '../stream-rules.ts';
import { requestOf, show } from '../wording.ts';

export const everyAnswer = group('every-answer', 'All replies of this run', [
  check('headers', 'Every reply has x-gateway-version and x-gateway-request-id', async (context) => {
    expectEach(context, () => true, expectHeaders);
  }),
  check('request-id', 'No two replies share a request id', async (context) => {
    const seen = new Set<unknown>();
    expectEach(
      context,
      () => true,
      (reply) => {
        const id = reply.headers['x-gateway-request-id'];
        expectThat(!seen.has(id), 'a unique request id', `${show(id)} again`);
        seen.add(id);
      },
    );
  }),
  check('envelope', 'Every error is in the envelope and contains its request id', async (context) => {
    expectEach(context, (reply) => reply.status >= 300, expectEnvelope);
  }),
  check('no-outage', 'No reply has a 5xx status', async (context) => {
    expectEach(
      context,
      () => true,
      (reply) => expectThat(reply.status < 500, 'no 5xx', String(reply.status)),
    );
  }),
  check('streams', 'Every stream has the right order and shape of chunks', async (context) => {
    expectEach(context, isChat, (reply) => {
      for (const rule of streamRules) rule.check(chatStream(reply));
    });
  }),
]);

function expectEach(
  context: Context,
  applies: (reply: ReceivedReply) => boolean,
  rule: (reply: ReceivedReply) => void,
): void {
  for (const reply of context.replies.filter(applies)) {
    try {
      rule(reply);
    } catch (error) {
      if (error instanceof UnmetExpectation)
        throw new UnmetExpectation(error.expected, `${error.seen} on ${requestOf(reply)}`);
      throw error;
    }
  }
}

function isChat(reply: ReceivedReply): boolean {
  return reply.path === chatPath && reply.status === 200 && reply.method === 'POST';
}
