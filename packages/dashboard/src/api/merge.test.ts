import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEqual, type ListRules, merge } from './merge.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', 'y'), fc.boolean());
const fields = fc.dictionary(fc.constantFrom(...names), leaf);
const document = fc.dictionary(fc.constantFrom(...names), fc.oneof(leaf, fields, fc.array(leaf, { maxLength: 3 })));

/** A base, and one new value for each of some names. Undefined removes the field. */
const changes = fc.dictionary(fc.constantFrom(...names), fc.option(fc.oneof(leaf, fields), { nil: undefined }));

function applied(base: object, change: object): object {
  return Object.fromEntries(Object.entries({ ...base, ...change }).filter(([, value]) => value !== undefined));
}

describe('a merge of two changes', () => {
  test('applies both, in any order, if no field is in both', () => {
    fc.assert(
      fc.property(document, changes, changes, (base, mine, all) => {
        const theirs = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(mine, name)));
        const versions = { base, mine: applied(base, mine), theirs: applied(base, theirs) };
        const { merged, conflicts } = merge(versions);
        expect(conflicts).toEqual([]);
        expect(merged).toEqual(applied(applied(base, mine), theirs));
        expect(merged).toEqual(applied(applied(base, theirs), mine));
        expect(merge({ base, mine: versions.theirs, theirs: versions.mine }).merged).toEqual(merged);
      }),
    );
  });

  test('loses no change without a conflict, and names each change of the other side that it takes', () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const { merged, conflicts, taken } = merge({ base, mine, theirs });
        const isNamed = (list: readonly { path: string }[], path: string) =>
          list.some(
            (each) => path === each.path || path.startsWith(`${each.path}.`) || each.path.startsWith(`${path}.`),
          );
        for (const path of pathsOf(base, mine, theirs)) {
          const [was, own, other, now] = [base, mine, theirs, merged].map((each) => at(each, path));
          // The fields inside have paths of their own.
          if ([own, other].every(contains)) continue;
          expect(isEqual(now, own) || isEqual(now, other)).toBe(true);
          if (!isEqual(now, own)) expect([isEqual(was, own), isNamed(taken, path)]).toEqual([true, true]);
          if (!isEqual(now, other) && !isEqual(was, other)) expect(isNamed(conflicts, path)).toBe(true);
        }
      }),
    );
  });

  test('takes the chosen side of each conflict', () => {
    const versions = { base: { a: 1, b: 1 }, mine: { a: 2, b: 2 }, theirs: { a: 3, b: 3 } };
    expect(merge(versions).conflicts).toEqual([
      { path: 'a', mine: 2, theirs: 3 },
      { path: 'b', mine: 2, theirs: 3 },
    ]);
    expect(merge(versions).merged).toEqual({ a: 2, b: 2 });
    expect(merge(versions, { choices: { b: 'theirs' } }).merged).toEqual({ a: 2, b: 3 });
  });

  test('has no conflict if one side changed nothing', () => {
    fc.assert(
      fc.property(document, document, (base, other) => {
        expect(merge({ base, mine: other, theirs: base })).toEqual({ merged: other, taken: [], conflicts: [] });
        const { merged, conflicts } = merge({ base, mine: base, theirs: other });
        expect([merged, conflicts]).toEqual([other, []]);
      }),
    );
  });

  test('has a conflict if one side removes an object that the other changes', () => {
    const { conflicts } = merge({ base: { a: { b: 1 } }, mine: {}, theirs: { a: { b: 2 } } });
    expect(conflicts).toEqual([{ path: 'a', mine: undefined, theirs: { b: 2 } }]);
  });
});

describe('lists', () => {
  const lists: ListRules = { aliases: 'set', routes: ({ upstream }) => String(upstream) };
  const element = fc.constantFrom(...names);
  const set = fc.uniqueArray(element, { minLength: 1 });

  test('a set has the additions of both sides, and none of their removals', () => {
    fc.assert(
      fc.property(set, set, set, (base, mine, theirs) => {
        const versions = { base: { aliases: base }, mine: { aliases: mine }, theirs: { aliases: theirs } };
        const { merged, conflicts } = merge(versions, { lists });
        const expected = names.filter((each) =>
          base.includes(each)
            ? mine.includes(each) && theirs.includes(each)
            : mine.includes(each) || theirs.includes(each),
        );
        if (expected.length === 0) expect(conflicts).toHaveLength(1);
        else expect((merged as { aliases: string[] }).aliases.toSorted()).toEqual(expected);
      }),
    );
  });

  test('elements with an identity are merged field by field', () => {
    const base = [{ upstream: 'one' }, { upstream: 'two', weight: 1 }];
    const mine = [{ upstream: 'one', model: 'large' }, { upstream: 'two', weight: 1 }, { upstream: 'three' }];
    const theirs = [{ upstream: 'two', weight: 5 }, { upstream: 'one' }];
    const merged = merge({ base: { routes: base }, mine: { routes: mine }, theirs: { routes: theirs } }, { lists });
    expect(merged).toEqual({
      merged: { routes: [{ upstream: 'two', weight: 5 }, { upstream: 'one', model: 'large' }, { upstream: 'three' }] },
      taken: [{ path: 'routes.1.weight', value: 5 }],
      conflicts: [],
    });
  });

  test('a removed element that the other side changed is a conflict', () => {
    const base = { routes: [{ upstream: 'one', weight: 1 }, { upstream: 'two' }] };
    const mine = { routes: [{ upstream: 'two' }] };
    const theirs = { routes: [{ upstream: 'one', weight: 2 }, { upstream: 'two' }] };
    expect(merge({ base, mine, theirs }, { lists }).conflicts).toEqual([
      { path: 'routes.1', mine: undefined, theirs: { upstream: 'one', weight: 2 } },
    ]);
  });

  test('two new orders are one conflict about the whole list', () => {
    const order = (...upstreams: string[]) => ({ routes: upstreams.map((upstream) => ({ upstream })) });
    const versions = { base: order('a', 'b', 'c'), mine: order('b', 'a', 'c'), theirs: order('a', 'c', 'b') };
    expect(merge(versions, { lists }).conflicts.map(({ path }) => path)).toEqual(['routes']);
  });

  test('a list without a rule is one value', () => {
    const versions = { base: { order: ['a', 'b'] }, mine: { order: ['b', 'a'] }, theirs: { order: ['a', 'b', 'c'] } };
    expect(merge(versions).conflicts).toEqual([{ path: 'order', mine: ['b', 'a'], theirs: ['a', 'b', 'c'] }]);
  });
});

function pathsOf(...documents: readonly object[]): readonly string[] {
  const walk = (value: unknown, path: string): readonly string[] =>
    contains(value)
      ? [path, ...Object.entries(value).flatMap(([name, inner]) => walk(inner, `${path}.${name}`))]
      : [path];
  const all = documents.flatMap((each) => Object.entries(each).flatMap(([name, value]) => walk(value, name)));
  return [...new Set(all)];
}

function contains(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (contains(value) ? (value as never)[name] : undefined), document);
}
