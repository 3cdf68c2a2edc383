import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../test/depth.ts';
import { allFaults } from '../../test/provider-faults/all-faults.ts';
import { depart, reason } from '../../test/provider-faults/depart.ts';
import { earlyDepartures, lateDepartures } from '../../test/provider-faults/departures.ts';
import { echoes, secretsOf } from '../../test/provider-faults/echoes.ts';
import { exceptions, exists, faultOf } from '../../test/provider-faults/exceptions.ts';
import { scene } from '../../test/provider-faults/scene.ts';
import { suffer } from '../../test/provider-faults/suffer.ts';
import { allKinds } from '../../test/provider-kinds/all-kinds.ts';

/** One kind for each reader of answers: two formats that the gateway decodes, and a package that decodes its own. */
const kindsWithLarge: ReadonlySet<string> = new Set(['openai', 'anthropic', 'cohere']);

function named<Thing extends { readonly name: string }>(things: readonly Thing[]): (readonly [string, Thing])[] {
  return things.map((thing) => [thing.name, thing]);
}

describe.each(named(allKinds))('%s', (_name, kind) => {
  const present = (thing: { readonly name: string }): boolean => exists(kind.name, thing);
  const isLargeToo = isDeep || kindsWithLarge.has(kind.name);
  const faults = allFaults
    .filter((fault) => present(fault) && (isLargeToo || fault.isLarge !== true))
    .map((fault) => faultOf(kind.name, fault));
  const lateMoments = lateDepartures.filter(present);

  test.each(named(faults))('a provider that %s', async (_fault, fault) => {
    const witness = await suffer(kind, fault);
    const { text, ...expected } = fault.expected(kind);
    expect(witness.outcome()).toMatchObject(expected);
    expect(fault.isTalking ? witness.text.slice(0, text.length) : witness.text).toBe(text);
    expect(witness.afterwards).toEqual([]);
    if (witness.cause) expect(witness.cause).toMatch(/upstream acme\b/);
    expect(witness.cause.length).toBeLessThan(2200);
  });

  test.each(named([...earlyDepartures, ...lateMoments]))(
    'a request aborted %s fails with the reason, and its connection is closed',
    async (_moment, departure) => {
      const witness = await depart(kind, departure, 'cut off');
      expect(witness.endings).toEqual([{ error: reason }]);
      expect(witness.text.slice(0, departure.text.length)).toBe(departure.text);
      expect(witness.afterwards).toEqual([]);
    },
  );

  test.each(named(lateMoments))(
    'a client that cancels %s receives nothing more, and its connection is closed',
    async (_moment, departure) => {
      const witness = await depart(kind, departure, 'bored');
      expect(witness.endings).toEqual([]);
      expect(witness.afterwards).toEqual([]);
    },
  );

  test('a request aborted before it is sent does not reach the provider', async () => {
    const stage = await scene(kind, () => {});
    await expect(stage.open(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(stage.provider.connections.accepted).toBe(0);
    await stage.close();
  });

  test.each(named(echoes))(
    'the gateway removes its credential from errors if a provider repeats it %s',
    async (_name, echo) => {
      const secrets = secretsOf(kind);
      const fault = {
        name: echo.name,
        reply: () => echo.reply(kind, secrets),
        expected: () => ({ ending: 'complete', text: '' }) as const,
      };
      const [ending] = (await suffer(kind, fault)).endings;
      expect(ending).toHaveProperty('error.case');
      for (const secret of secrets) expect(inspect(ending, { depth: 9 })).not.toContain(secret);
    },
  );
});

test('every exception names an existing fault and existing kinds', () => {
  const all = [...allFaults, ...earlyDepartures, ...lateDepartures];
  const names = new Set(all.map(({ name }) => name));
  const kinds = new Set(allKinds.map(({ name }) => name));
  expect(names.size).toBe(all.length);
  for (const exception of exceptions) {
    expect(names).toContain(exception.fault);
    for (const kind of exception.kinds) expect(kinds).toContain(kind);
  }
});
