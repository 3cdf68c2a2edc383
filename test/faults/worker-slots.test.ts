import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { type CountingProvider, countingProvider } from '../counting-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';
import { workersOf } from '../worker-processes.ts';

let provider: CountingProvider;
let gateway: ServedGateway;
afterEach(async () => {
  await gateway.clean();
  await provider.close();
});

const limit = 4;
const clients = 16;

/** Asks again and again until the provider has finished so many more. */
async function askUntil(finished: number): Promise<readonly string[]> {
  const asking = Array.from({ length: clients }, async () => {
    const outcomes: string[] = [];
    while (provider.finished < finished) {
      const { status, isDone, text } = await chat(gateway).over;
      outcomes.push(isDone ? 'done' : `${status} ${text}`);
    }
    return outcomes;
  });
  return (await Promise.all(asking)).flat();
}

test('workers together keep to the limit of an upstream, also when one is killed', async () => {
  provider = await countingProvider();
  const upstream = { name: 'fake', kind: 'openai', base_url: provider.url, max_concurrency: limit };
  gateway = await startServedGateway({ config: { workers: 3, upstreams: [upstream] } });

  expect((await askUntil(60)).filter((outcome) => outcome !== 'done')).toEqual([]);
  expect(provider.peak).toBeLessThanOrEqual(limit);

  const letGo = provider.hold();
  const killed = askUntil(provider.finished + 60);
  // A slot may be kept back for a worker that has no requests yet: not all of them are taken.
  const taken = { message: 'answers at the upstream' };
  await expect.poll(() => provider.running, taken).toBeGreaterThanOrEqual(limit / 2);
  process.kill((await workersOf(gateway))[1]!, 'SIGKILL');
  await gateway.says(/Worker \d ended \(SIGKILL\)/);
  // The others take its slots while the answers that they have themselves go on.
  await expect.poll(() => provider.running, taken).toBeGreaterThanOrEqual(limit / 2);
  letGo();
  // Its clients were cut off; nobody was refused.
  expect((await killed).filter((outcome) => !/^(done|undefined|200)/.test(outcome))).toEqual([]);
  expect(provider.peak).toBeLessThanOrEqual(limit);

  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
  await expect.poll(() => provider.running, { message: 'answers at the upstream' }).toBe(0);
  await expectSound(await gateway.openStore());
});
