import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import { memoryArbiter } from '../../../platform/cluster/memory-arbiter.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ProviderRefusal } from '../../upstreams/answer/refusal.ts';
import { Credential } from './credential.ts';
import { decodeSharedState, encodeSharedState } from './shared-credential-state.ts';
import { QueueLimit } from '../fair-queue/queue-limit.ts';
import { UpstreamQueue } from '../queue/upstream-queue.ts';

test('all processes receive what one learns of a credential: that it is out, is back, or that a model cools down', async () => {
  const clock = manualClock();
  const arbiter = memoryArbiter(clock.elapsed);
  const [one, other] = await Promise.all([process('one'), process('other')]);

  const refusal = (status: number) =>
    new GatewayError('upstream-failed', { cause: new ProviderRefusal('provider', status, 'no') });
  one.take('model');
  one.failed(refusal(401), 'model');
  expect(one.healthStatus).toBe('disabled');
  await pass();
  expect(other.healthStatus).toBe('disabled');
  expect(other.lastError?.words).toBe(one.lastError?.words);

  one.take('model');
  one.begun('model', 10);
  await pass();
  expect([one.healthStatus, other.healthStatus]).toEqual(['ramping', 'ramping']);
  one.completed('model');

  for (let count = 0; count < 3; count += 1) {
    one.take('model');
    one.failed(refusal(429), 'model');
  }
  await pass();
  expect(other.cooldownMs('model')).toBeGreaterThan(0);
  expect(other.cooldownMs('model')).toBeLessThanOrEqual(one.cooldownMs('model') + 1);
  expect(other.cooldownMs('another')).toBe(0);

  async function process(name: string): Promise<Credential> {
    const keeper = new LeaseKeeper({ clock, arbiter, process: name, host: { machine: 'here', pid: 1 } });
    const queueLimit = new QueueLimit(() => ({ requests: 10, bytes: 10 }));
    const queue = new UpstreamQueue({ clock, queueLimit, max: 10, leased: keeper.slots('provider') });
    const about = { upstream: 'provider', credential: 0 };
    const credential = new Credential(
      { upstream: 'provider', index: 0 },
      {
        clock,
        queue,
        changed: () => {},
        broadcast: (state, forMs) => keeper.board.broadcast(encodeSharedState({ ...about, state, forMs })),
      },
    );
    keeper.board.subscribe((state) => {
      const announced = decodeSharedState(state)!;
      credential.applySharedState(announced.state, announced.forMs);
    });
    await keeper.start();
    return credential;
  }

  async function pass(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(1);
      for (let count = 0; count < 20; count += 1) await Promise.resolve();
    }
  }
});

test('an unreadable value from another version decodes to undefined', () => {
  for (const value of ['', '{}', '[]', '{"upstream":1}', 'null']) {
    expect(decodeSharedState({ subject: 's', value, forMs: 1 })).toBeUndefined();
  }
});
