import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const long = 'x'.repeat(5000);

test.each([`/docs/${long}`, `/docs/${long}.html`, `/docs/a/${long}.js`, `/assets/${long}.js`])(
  'a name longer than any file is not found: %.20s',
  async (path) => {
    expect((await gateway.get(path)).status).toBe(404);
  },
);

test.each(['/v1/responses/resp_%00', '/v1/files?after=%00', '/docs/%00', '/%00'])('%s is refused', async (path) => {
  const reply = await gateway.get(path);
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('NUL')]);
});
