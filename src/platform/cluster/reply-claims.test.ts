import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import { ReplyClaims, type ReplyEnding } from './reply-claims.ts';

forEachStore(({ open }) => {
  let claims: ReplyClaims;
  let alarms: unknown[];
  beforeEach(async () => {
    alarms = [];
    claims = new ReplyClaims(await open(), (error) => alarms.push(error));
    await claims.claim({ scope: 'key', id: 'r1', process: 'p1', digest: 'd' });
  });
  const piece = (start: number, length: number) => ({ start, length, sealed: `${start}` });
  const starts = async () => (await claims.read('r1', 0))?.pieces.map(({ start }) => start);

  test('a piece of a reply that does not follow the stored ones is not written', async () => {
    await claims.tell('r1', piece(0, 5), undefined);
    await claims.tell('r1', piece(5, 5), undefined);
    await claims.tell('r1', piece(0, 10), undefined);
    const rule = new InvariantViolation('a piece of a reply follows the stored ones');
    await expect(claims.tell('r1', piece(11, 5), { kind: 'stream' })).rejects.toThrow(rule);
    expect([await starts(), alarms]).toEqual([[0, 5], [rule]]);
    expect((await claims.read('r1', 0))?.ending).toBeUndefined();
  });

  test('a claim that a stalled store repeats after the end of its reply does not begin it again', async () => {
    const claim = { scope: 'key', id: 'r1', process: 'p1', digest: 'd' };
    expect(await claims.claim(claim)).toBeUndefined();
    for (const ending of [{ kind: 'stream' }, { kind: 'failed', case: 'overloaded' }] as ReplyEnding[]) {
      await claims.release('r1');
      await claims.claim(claim);
      await claims.tell('r1', undefined, ending);
      expect(await claims.claim(claim)).toEqual(claim);
      expect((await claims.read('r1', 0))?.ending).toEqual(ending);
    }
    expect(await claims.claim({ ...claim, id: 'r2' })).toBeUndefined();
  });

  test('a reply ends once: the same ending may be written again, another one is not', async () => {
    const body: ReplyEnding = { kind: 'body', status: 200, contentType: 'application/json' };
    await claims.tell('r1', piece(0, 5), { kind: 'untellable' });
    await claims.tell('r1', undefined, body);
    await claims.tell('r1', undefined, body);
    const rule = new InvariantViolation('a reply ends once');
    await expect(claims.tell('r1', piece(5, 5), { kind: 'stream' })).rejects.toThrow(rule);
    expect([await starts(), (await claims.read('r1', 0))?.ending, alarms]).toEqual([[0], body, [rule]]);
    await claims.tell('no such claim', undefined, { kind: 'stream' });
    expect(alarms).toHaveLength(1);
  });
});
