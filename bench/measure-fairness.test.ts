import { expect, test } from 'vitest';
import { liveClients } from './fairness/live-clients.ts';
import { liveUpstream } from './fairness/live-upstream.ts';
import { serviceOf } from './measure-fairness.ts';

test('only answered attempts have a first token, and the share counts all attempts', () => {
  const refused = { status: 429, isAnswered: false, tokens: 0, firstTokenMs: 1 };
  const answered = { status: 200, isAnswered: true, tokens: 20, firstTokenMs: 900 };
  expect(serviceOf([refused, refused, refused, answered], 2_000)).toEqual({
    attempts: 4,
    answered: 0.25,
    answersPerSecond: 0.5,
    firstTokenMs: { p50: 900, p99: 900 },
  });
});

test('a request beyond the slots is refused, and its first token counts from the first attempt', async () => {
  const upstream = await liveUpstream({ slots: 1, serviceMs: 20 });
  const group = { to: { port: upstream.port, key: 'none' }, streams: 1, pauseMs: 2 };
  const clients = liveClients([group, group]);
  const afterRefusal = () =>
    clients.outcomes.flatMap((outcomes) =>
      outcomes.flatMap((refused, index) => {
        const next = outcomes[index + 1];
        return refused.status === 429 && next?.isAnswered ? [{ refused, next }] : [];
      }),
    );
  await expect.poll(() => afterRefusal().length, { timeout: 10_000 }).toBeGreaterThan(2);
  await clients.stop();
  upstream.close();
  for (const { refused, next } of afterRefusal()) expect(next.firstTokenMs).toBeGreaterThan(refused.firstTokenMs);
  const answered = clients.outcomes.flat().filter(({ isAnswered }) => isAnswered);
  const tokens = (each: readonly { readonly tokens: number }[]) => each.reduce((sum, one) => sum + one.tokens, 0);
  expect(tokens(answered)).toBe(tokens(upstream.answers));
});
