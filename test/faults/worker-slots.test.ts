import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { type CountingProvider, countingProvider } from '../fakes/counting-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { workersOf } from '../gateways/worker-processes.ts';

let provider: CountingProvider;
let gateway: ServedGateway;
afterEach(async () => {
  await gateway.clean();
  await provider.close();
});

const limit = 4;
const clients = 16;

/** Sends requests until the provider has finished this many in total. */
async function sendUntil(finished: number): Promise<readonly string[]> {
  const clientLoops = Array.from({ length: clients }, async () => {
    const outcomes: string[] = [];
    while (provider.finished < finished) {
      const { status, isDone, text } = await chat(gateway).over;
      outcomes.push(isDone ? 'done' : `${status} ${text}`);
    }
    return outcomes;
  });
  return (await Promise.all(clientLoops)).flat();
}

test('all workers together obey the limit of an upstream, even when one is killed', async () => {
  provider = await countingProvider();
  const upstream = { name: 'fake', kind: 'openai', base_url: provider.url, max_concurrency: limit };
  gateway = await startServedGateway({ config: { workers: 3, upstreams: [upstream] } });

  expect((await sendUntil(60)).filter((outcome) => outcome !== 'done')).toEqual([]);
  expect(provider.peak).toBeLessThanOrEqual(limit);

  const release = provider.hold();
  const killed = sendUntil(provider.finished + 60);
  // A slot may be reserved for a worker without requests, so not all slots are in use.
  const answersAtUpstream = { message: 'answers at the upstream' };
  await expect.poll(() => provider.running, answersAtUpstream).toBeGreaterThanOrEqual(limit / 2);
  process.kill((await workersOf(gateway))[1]!, 'SIGKILL');
  await gateway.waitForOutput(/Worker \d ended \(SIGKILL\)/);
  // The other workers take its slots while their own answers continue.
  await expect.poll(() => provider.running, answersAtUpstream).toBeGreaterThanOrEqual(limit / 2);
  release();
  // The clients of the killed worker were disconnected. No request was rejected.
  expect((await killed).filter((outcome) => !/^(done|undefined|200)/.test(outcome))).toEqual([]);
  expect(provider.peak).toBeLessThanOrEqual(limit);

  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  await expect.poll(() => provider.running, { message: 'answers at the upstream' }).toBe(0);
  await expectSound(await gateway.openStore());
});
