import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import type { Context } from '../context.ts';
import { expectThat } from '../outcome.ts';
import { requestOf } from '../wording.ts';

const burst = 24;

export const never429 = group('never-429', 'No rate limits on any reply of this run', [
  check('status', 'No reply has status 429, even in a burst', async (context) => {
    const requests = Array.from({ length: burst }, () => context.send({ method: 'GET', path: '/v1/models' }));
    await Promise.all(requests);
    expectNone(context, 'no 429', (reply) => (reply.status === 429 ? '429' : undefined));
  }),
  check('retry-after', 'No reply has a Retry-After header', async (context) => {
    expectNone(context, 'no Retry-After', (reply) => headerLike(reply, /^retry-after/));
  }),
  check('rate-limit-headers', 'No reply has a RateLimit header of any kind', async (context) => {
    expectNone(context, 'no RateLimit header', (reply) => headerLike(reply, /ratelimit/));
  }),
]);

function expectNone(context: Context, expected: string, find: (reply: ReceivedReply) => string | undefined): void {
  for (const reply of context.replies) {
    const found = find(reply);
    expectThat(
      found === undefined,
      `${expected} on ${context.replies.length} replies`,
      `${found} on ${requestOf(reply)}`,
    );
  }
}

function headerLike(reply: ReceivedReply, pattern: RegExp): string | undefined {
  return Object.keys(reply.headers).find((name) => pattern.test(name));
}
