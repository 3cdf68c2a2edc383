import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { addressOf, launchAgent, newestLaunchKey } from '../../../test/gateways/agent-launcher.ts';
import { launcher } from '../../../test/gateways/launcher.ts';
import { findOldNode } from '../../../test/gateways/old-node.ts';
import { childrenOf, type ServedGateway, startServedGateway } from '../../../test/gateways/served-gateway.ts';

let gateway: ServedGateway;
beforeAll(async () => void (gateway = await startServedGateway()));
afterAll(() => gateway.clean());

const source = join(import.meta.dirname, '../../../bin/chat-gateway.cjs');
const programs = [
  ['this Node', process.execPath, launcher],
  ['an old Node', findOldNode(), source],
] as const;

async function expectRevoked(name: string): Promise<void> {
  expect(await newestLaunchKey(gateway)).toMatchObject({ name, revoked_at: expect.any(Number) });
}

/** Prints each signal, and how the gateway answers then. Ends with status 9 at the second one. */
const listener = `
let signals = 0;
for (const name of ['SIGINT', 'SIGQUIT', 'SIGHUP']) {
  process.on(name, async () => {
    const { status } = await models();
    const { stdin, stdout, stderr } = process;
    console.log([name, status, stdin.isTTY, stdout.isTTY, stderr.isTTY].join(' ') + ';');
    signals += 1;
    if (signals === 2) process.exit(9);
  });
}
setInterval(() => {}, 1000);
console.log('ready');
`;

/** Ends with status 9 at SIGHUP, and of SIGTERM. */
const waiter = `
process.on('SIGHUP', () => process.exit(9));
setInterval(() => {}, 1000);
console.log('ready');
`;

describe.each(programs.filter(([, node]) => node !== undefined))('on %s', (_, node, file) => {
  test('Ctrl-C and Ctrl-\\ in a terminal are for the agent', async () => {
    const inTerminal = 'exec script --quiet --return --command "exec $*" /dev/null';
    const program = ['sh', '-c', inTerminal, 'sh', node!, file] as const;
    const launched = await launchAgent(gateway, ['codex'], { agent: listener, program });
    await launched.prints(/ready/);
    launched.child.stdin!.write('\u0003');
    await launched.prints(/SIGINT 200 true true true;/);
    launched.child.stdin!.write('\u001c');
    await launched.prints(/SIGQUIT 200 true true true;/);
    expect((await launched.end()).code).toBe(9);
    await expectRevoked('launch codex');
  });

  test.each([
    ['SIGHUP', 9],
    ['SIGTERM', 143],
  ] as const)('%s reaches the agent, and its end is the end of the command', async (signal, status) => {
    const launched = await launchAgent(gateway, ['codex'], { agent: waiter, program: [node!, file] });
    await launched.prints(/ready/);
    launched.child.kill(signal);
    expect((await launched.end()).code).toBe(status);
    await expectRevoked('launch codex');
  });

  test('a signal to all processes does not end the command before the agent', async () => {
    const options = { agent: listener, program: [node!, file], detached: true } as const;
    const launched = await launchAgent(gateway, ['claude'], options);
    await launched.prints(/ready/);
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      process.kill(-launched.child.pid!, signal);
      await launched.prints(new RegExp(`${signal} 200`));
    }
    expect((await launched.end()).code).toBe(9);
    await expectRevoked('launch claude');
  });
});

test('an agent that a signal ended gives the status that a shell gives', async () => {
  const agent = `process.kill(process.pid, 'SIGKILL');`;
  const launched = await launchAgent(gateway, ['qwen'], { agent });
  expect((await launched.end()).code).toBe(137);
  await expectRevoked('launch qwen');
});

test.each([
  ['SIGINT', 130],
  ['SIGQUIT', 131],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s before the agent starts ends the command and revokes the key', async (signal, status) => {
  // It never answers a request for the models.
  const front = createServer((request, response) => {
    if (request.url === '/openapi.json') {
      void fetch(addressOf(gateway) + request.url).then(async (reply) => response.end(await reply.text()));
    } else front.emit('models');
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const requested = once(front, 'models');
  try {
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const launched = await launchAgent(gateway, ['claude'], { agent: `console.log('started');`, url });
    await requested;
    launched.child.kill(signal);
    expect(await launched.end()).toEqual({ code: status, stdout: '', stderr: '' });
    await expectRevoked('launch claude');
  } finally {
    front.closeAllConnections();
    front.close();
  }
});

test('signals after the end of the agent do not keep the key', async () => {
  const agent = `process.stdin.on('end', () => process.exit(7)).resume();\nconsole.log('ready');`;
  const launched = await launchAgent(gateway, ['claude'], { agent });
  await launched.prints(/ready/);
  // The key cannot be revoked until the lock is released.
  const database = new DatabaseSync(join(gateway.directory, 'data', 'gateway.db'));
  database.exec('begin immediate');
  const ended = launched.end();
  await eventually(async () => expect(await childrenOf(launched.child.pid!)).toEqual([]));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) launched.child.kill(signal);
  database.exec('rollback');
  database.close();
  expect((await ended).code).toBe(7);
  await expectRevoked('launch claude');
});

test('the key of a killed command expires by itself', async () => {
  const options = { agent: listener, detached: true };
  const launched = await launchAgent(gateway, ['claude', '--expires', '90s'], options);
  await launched.prints(/ready/);
  launched.child.kill('SIGKILL');
  await once(launched.child, 'exit');
  const { revoked_at, created_at, expires_at } = (await newestLaunchKey(gateway))!;
  expect(revoked_at).toBeNull();
  expect(expires_at! - created_at).toBeLessThanOrEqual(90_000);
  // The agent goes on.
  process.kill(-launched.child.pid!, 'SIGKILL');
  await launched.end();
});
