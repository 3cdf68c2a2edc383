import { check, group } from '../check.ts';
import type { ReceivedReply, ConformRequest } from '../client.ts';
import { absentModel, chatPath, type Context } from '../context.ts';
import { expectHeaders } from '../gateway-headers.ts';

export const headers = group('headers', 'x-gateway-version and x-gateway-request-id', [
  present('catalog', 'The catalog has both gateway headers', async ({ catalog }) => catalog.reply),
  present('stream', 'A stream has both gateway headers', ({ post }) => post({ stream: true })),
  present(
    'unauthorized',
    'The error for a rejected key has both gateway headers',
    sending({ method: 'GET', path: '/v1/models', headers: {} }),
  ),
  present('forbidden', 'The error for a rejected model has both gateway headers', ({ post }) =>
    post({ model: absentModel }),
  ),
  present(
    'bad-request',
    'The error for a rejected body has both gateway headers',
    sending({ method: 'POST', path: chatPath, body: '{' }),
  ),
  present(
    'not-found',
    'The error for an unknown path has both gateway headers',
    sending({ method: 'GET', path: '/v1/no-such-path' }),
  ),
  present(
    'method',
    'The error for a wrong method has both gateway headers',
    sending({ method: 'PUT', path: chatPath }),
  ),
  present('options', 'A reply to OPTIONS has both gateway headers', sending({ method: 'OPTIONS', path: chatPath })),
]);

function present(slug: string, title: string, send: (context: Context) => Promise<ReceivedReply>) {
  return check(slug, title, async (context) => expectHeaders(await send(context)));
}

function sending(request: ConformRequest): (context: Context) => Promise<ReceivedReply> {
  return ({ send }) => send(request);
}
