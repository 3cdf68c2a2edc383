import { chatStream } from '../chat-stream.ts';
import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import { chatPath, type Context } from '../context.ts';
import { expectHeaders } from '../gateway-headers.ts';
import { expectThat, UnmetExpectation } from '../outcome.ts';
import { expectEnvelope } from '../refusal.ts';
import { streamRules } from '../stream-rules.ts';
import { requestOf, show } from '../wording.ts';

export const everyAnswer = group('every-answer', 'All answers of this run', [
  check('headers', 'Every answer has both headers', async (context) => {
    expectEach(context, () => true, expectHeaders);
  }),
  check('request-id', 'No two answers share a request id', async (context) => {
    const seen = new Set<unknown>();
    expectEach(
      context,
      () => true,
      (answer) => {
        const id = answer.headers['x-gateway-request-id'];
        expectThat(!seen.has(id), 'a request id of its own', show(id));
        seen.add(id);
      },
    );
  }),
  check('envelope', 'Every error is in the envelope and contains its request id', async (context) => {
    expectEach(context, (answer) => answer.status >= 300, expectEnvelope);
  }),
  check('no-outage', 'No answer has a 5xx status', async (context) => {
    expectEach(
      context,
      () => true,
      (answer) => expectThat(answer.status < 500, 'no 5xx', String(answer.status)),
    );
  }),
  check('streams', 'Every stream has the right order and shape of chunks', async (context) => {
    expectEach(context, isChat, (answer) => {
      for (const rule of streamRules) rule.check(chatStream(answer));
    });
  }),
]);

function expectEach(
  context: Context,
  applies: (answer: ReceivedReply) => boolean,
  rule: (answer: ReceivedReply) => void,
): void {
  for (const answer of context.replies.filter(applies)) {
    try {
      rule(answer);
    } catch (error) {
      if (error instanceof UnmetExpectation)
        throw new UnmetExpectation(error.expected, `${error.seen} on ${requestOf(answer)}`);
      throw error;
    }
  }
}

function isChat(answer: ReceivedReply): boolean {
  return answer.path === chatPath && answer.status === 200 && answer.method === 'POST';
}
