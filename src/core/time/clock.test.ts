import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

/** Blocks this process. */
function block(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

test('after the process was blocked, sockets are read before timeouts fire', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // Wait until both ends are connected; otherwise the client would not read in the first turn after the block.
  const [[peer]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], unknown];
  const log: string[] = [];
  client.on('data', () => log.push('data'));
  await setImmediate();
  const over = Promise.withResolvers<void>();
  const timeout = systemClock.after(10, () => log.push('timeout'));
  const cancelled = systemClock.after(10, () => log.push('cancelled'));
  systemClock.after(20, () => over.resolve());
  client.once('data', () => systemClock.cancel(cancelled));
  peer.write('x');
  block(300);
  await over.promise;
  expect(log).toEqual(['data', 'timeout']);
  systemClock.cancel(timeout);
  client.destroy();
  peer.destroy();
  server.close();
});

test('a timer runs its work when it is due, unless it was cancelled', async () => {
  const done: string[] = [];
  const over = Promise.withResolvers<void>();
  systemClock.after(1, () => {
    done.push('first');
    // Later than the cancelled timer would have run, however late this one is.
    systemClock.after(3, () => over.resolve());
  });
  systemClock.cancel(systemClock.after(2, () => done.push('cancelled')));
  await over.promise;
  expect(done).toEqual(['first']);
});

test('a timer with a negative delay runs at once, without a warning', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  const over = Promise.withResolvers<void>();
  systemClock.after(-5, () => over.resolve());
  await over.promise;
  await setImmediate();
  process.off('warning', note);
  // Other code in this process may have emitted other warnings.
  expect(warnings).not.toContain('TimeoutNegativeWarning');
});
