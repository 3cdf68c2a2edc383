import { check, group } from '../check.ts';
import type { ReceivedReply, ConformRequest } from '../client.ts';
import { absentModel, chatPath, type Context } from '../context.ts';
import { demandHeaders } from '../gateway-headers.ts';

export const headers = group('headers', 'x-gateway-version and x-gateway-request-id', [
  present('catalog', 'The catalog carries both headers', async ({ catalog }) => catalog.answer),
  present('stream', 'A stream carries both headers', ({ post }) => post({ stream: true })),
  present(
    'unauthorized',
    'A refused key carries both headers',
    asking({ method: 'GET', path: '/v1/models', headers: {} }),
  ),
  present('forbidden', 'A refused model carries both headers', ({ post }) => post({ model: absentModel })),
  present('bad-request', 'A refused body carries both headers', asking({ method: 'POST', path: chatPath, body: '{' })),
  present('not-found', 'An unknown path carries both headers', asking({ method: 'GET', path: '/v1/no-such-path' })),
  present('method', 'A method the path does not have carries both headers', asking({ method: 'PUT', path: chatPath })),
  present('options', 'An answer to OPTIONS carries both headers', asking({ method: 'OPTIONS', path: chatPath })),
]);

function present(slug: string, title: string, ask: (context: Context) => Promise<ReceivedReply>) {
  return check(slug, title, async (context) => demandHeaders(await ask(context)));
}

function asking(ask: ConformRequest): (context: Context) => Promise<ReceivedReply> {
  return ({ send }) => send(ask);
}
