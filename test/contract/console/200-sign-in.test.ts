import { expect, test } from 'vitest';
import { ownerBrowser } from '../../browser.ts';
import { consoleOn } from '../../gateways/console-gateway.ts';
import { startTestGateway } from '../../gateways/gateway.ts';
import { signingIn } from './suites/sign-in.ts';

test('by default a gateway hashes passwords with Argon2id, 19 MiB and 2 iterations', async () => {
  const gateway = await startTestGateway(undefined, { passwordCost: undefined });
  await ownerBrowser(gateway.gateway, gateway.url);
  const kept = await gateway.gateway.store.db.selectFrom('console_credentials').select('password').execute();
  expect(kept).toEqual([{ password: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) }]);
  await gateway.stop();
});

consoleOn('sqlite', signingIn);
