import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { allFaults } from '../../../test/provider-faults/all-faults.ts';
import { endEarly, reason } from '../../../test/provider-faults/end-early.ts';
import { endsBeforeAnswer, endsDuringAnswer } from '../../../test/provider-faults/early-ends.ts';
import { echoes, secretsOf } from '../../../test/provider-faults/echoes.ts';
import { exceptions, exists, faultOf } from '../../../test/provider-faults/exceptions.ts';
import { scene } from '../../../test/provider-faults/scene.ts';
import { runFault } from '../../../test/provider-faults/run-fault.ts';
import { allKinds } from '../../../test/provider-kinds/all-kinds.ts';

/** One kind for each reader of answers: two formats, and binary frames. */
const kindsWithLarge: ReadonlySet<string> = new Set(['openai', 'anthropic', 'bedrock']);

function named<Thing extends { readonly name: string }>(things: readonly Thing[]): (readonly [string, Thing])[] {
  return things.map((thing) => [thing.name, thing]);
}

describe.each(named(allKinds))('%s', (_name, kind) => {
  const present = (thing: { readonly name: string }): boolean => exists(kind.name, thing);
  const isLargeToo = isDeep || kindsWithLarge.has(kind.name);
  const faults = allFaults
    .filter((fault) => present(fault) && (isLargeToo || fault.isLarge !== true))
    .map((fault) => faultOf(kind.name, fault));
  const lateEnds = endsDuringAnswer.filter(present);

  test.each(named(faults))('a provider that %s', async (_fault, fault) => {
    const recorder = await runFault(kind, fault);
    const { text, ...expected } = fault.expected(kind);
    expect(recorder.outcome()).toMatchObject(expected);
    expect(fault.keepsSending ? recorder.text.slice(0, text.length) : recorder.text).toBe(text);
    expect(recorder.afterwards).toEqual([]);
    if (recorder.cause) expect(recorder.cause).toMatch(/upstream acme\b/);
    expect(recorder.cause.length).toBeLessThan(2200);
  });

  test.each(named([...endsBeforeAnswer, ...lateEnds]))(
    'a request aborted %s fails with the reason, and its connection is closed',
    async (_moment, earlyEnd) => {
      const recorder = await endEarly(kind, earlyEnd, 'aborted');
      expect(recorder.endings).toEqual([{ error: reason }]);
      expect(recorder.text.slice(0, earlyEnd.text.length)).toBe(earlyEnd.text);
      expect(recorder.afterwards).toEqual([]);
    },
  );

  test.each(named(lateEnds))(
    'a client that cancels %s receives nothing more, and its connection is closed',
    async (_moment, earlyEnd) => {
      const recorder = await endEarly(kind, earlyEnd, 'cancelled');
      expect(recorder.endings).toEqual([]);
      expect(recorder.afterwards).toEqual([]);
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
      const [ending] = (await runFault(kind, fault)).endings;
      expect(ending).toHaveProperty('error.case');
      for (const secret of secrets) expect(inspect(ending, { depth: 9 })).not.toContain(secret);
    },
  );
});

test('every exception names an existing fault and existing kinds', () => {
  const all = [...allFaults, ...endsBeforeAnswer, ...endsDuringAnswer];
  const names = new Set(all.map(({ name }) => name));
  const kinds = new Set(allKinds.map(({ name }) => name));
  expect(names.size).toBe(all.length);
  for (const exception of exceptions) {
    expect(names).toContain(exception.fault);
    for (const kind of exception.kinds) expect(kinds).toContain(kind);
  }
});
