import { check, group } from '../check.ts';
import { chatPath } from '../context.ts';
import { expectThat } from '../outcome.ts';
import { expectEnvelope } from '../refusal.ts';
import { describe } from '../wording.ts';

export const http = group('http', 'Paths and methods', [
  check('not-found', 'An unknown path gives 404 in the error envelope', async ({ send }) => {
    for (const path of ['/v1/no-such-path', '/v1/no/such/path']) {
      const reply = await send({ method: 'GET', path });
      expectThat(reply.status === 404, `404 for GET ${path}`, describe(reply));
      expectEnvelope(reply);
    }
  }),
  check('method', 'A wrong method is rejected in the error envelope', async ({ send }) => {
    for (const [method, path] of [
      ['GET', chatPath],
      ['PUT', chatPath],
      ['DELETE', '/v1/models'],
    ] as const) {
      const reply = await send({ method, path });
      expectThat(reply.status === 405 || reply.status === 404, `405 for ${method} ${path}`, describe(reply));
      expectEnvelope(reply);
    }
  }),
  check('options', 'OPTIONS is answered, or rejected in the error envelope', async ({ send }) => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const reply = await send({ method: 'OPTIONS', path: chatPath, headers });
    expectThat(reply.status < 500, 'a status below 500', describe(reply));
    if (reply.status >= 300) expectEnvelope(reply);
  }),
]);
