import { describe, expect, it } from 'vitest';
import { priceValues } from './price-values.ts';
import { isShared, moved, routesOf, rowsOf, withRoute, without } from './route-order.ts';

const one = { upstream: 'one' };
const two = { upstream: 'two', model: 'other', priority: 1, weight: 3 };
const three = { upstream: 'three', priority: 1 };

function names(rows: ReturnType<typeof rowsOf>): string {
  return rows.map(({ upstream, together }) => (together ? `+${upstream}` : upstream)).join(' ');
}

describe('the order of routes', () => {
  it('survives a round trip through the editor', () => {
    expect(routesOf(rowsOf([one, two, three]))).toEqual([one, two, three]);
  });

  it("keeps fields that the editor does not show, and the provider's price", () => {
    const cost = { input: '1', output: '2', cached_input: '0.1' };
    const routes = [
      { ...one, embeddings_max: 96, cost },
      { upstream: 'two', priority: 1, cost: 'free' as const },
    ];
    expect(routesOf(rowsOf(routes))).toEqual(routes);
    const typed = rowsOf(routes).map((row) => ({
      ...row,
      cost: { state: 'priced' as const, price: priceValues({ ...cost, output: '3', reasoning: '4' }) },
    }));
    expect(routesOf(typed)[0]?.cost).toEqual({ ...cost, output: '3', reasoning: '4' });
    const cleared = rowsOf(routes).map((row) => ({ ...row, cost: { ...row.cost, state: 'unknown' as const } }));
    expect(routesOf(cleared).map((route) => route.cost)).toEqual([undefined, undefined]);
  });

  it('follows the priority, not the order in the configuration', () => {
    expect(names(rowsOf([three, one, two]))).toBe('one three +two');
  });

  it('closes gaps between priorities', () => {
    expect(routesOf(rowsOf([one, { upstream: 'two', priority: 10 }]))).toEqual([one, { upstream: 'two', priority: 1 }]);
  });

  it('keeps a group together when its first row moves away', () => {
    const rows = rowsOf([one, two, three, { upstream: 'four', priority: 1 }]);
    expect(names(moved(rows, 1, 0))).toBe('two one three +four');
    expect(names(without(rows, 1))).toBe('one three +four');
  });

  it('lets a moved row join the group it lands in', () => {
    const rows = rowsOf([one, two, three]);
    expect(names(moved(rows, 0, 1))).toBe('two +one +three');
  });

  it('does not change when a row cannot move further', () => {
    const rows = rowsOf([one, two]);
    expect(moved(rows, 0, -1)).toBe(rows);
    expect(moved(rows, 1, 2)).toBe(rows);
  });

  it('never marks the first row as shared', () => {
    for (const from of [0, 1, 2]) {
      for (const to of [0, 1, 2]) expect(moved(rowsOf([two, three, one]), from, to)[0]?.together).toBe(false);
    }
  });

  it('knows which rows share a priority', () => {
    const rows = rowsOf([one, two, three]);
    expect([0, 1, 2].map((index) => isShared(rows, index))).toEqual([false, true, true]);
  });

  it('gives a new row a unique key', () => {
    const rows = withRoute(rowsOf([one, two]), 'three');
    expect(new Set(rows.map(({ key }) => key)).size).toBe(3);
  });
});
