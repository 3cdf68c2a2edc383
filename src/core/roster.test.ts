import { expect, test } from 'vitest';
import { Roster } from './roster.ts';

const members = (roster: Roster<string>) => Array.from(roster.entries(), ([member]) => member);

test('the next member reuses a free index, which is empty until then', () => {
  const roster = new Roster<string>();
  const [ann, bob] = [roster.add('ann'), roster.add('bob')];
  expect(roster.remove('ann', ann)).toBe(true);
  expect([members(roster), roster.size]).toEqual([['bob'], 1]);
  expect(roster.add('cid')).toBe(ann);
  expect([members(roster), roster.size]).toEqual([['cid', 'bob'], 2]);
  expect(roster.remove('bob', bob)).toBe(true);
  expect([members(roster), roster.size]).toEqual([['cid'], 1]);
});

test('a member cannot be removed twice, nor by the index of another', () => {
  const roster = new Roster<string>();
  const index = roster.add('ann');
  expect(roster.remove('bob', index)).toBe(false);
  expect([roster.remove('ann', index), roster.remove('ann', index)]).toEqual([true, false]);
  roster.add('bob');
  expect(roster.remove('ann', index)).toBe(false);
  expect([members(roster), roster.size]).toEqual([['bob'], 1]);
});

test('iteration sees all members although they are removed meanwhile', () => {
  const roster = new Roster<string>();
  for (const member of ['ann', 'bob', 'cid']) roster.add(member);
  const seen: string[] = [];
  for (const [member, index] of roster.entries()) {
    seen.push(member);
    roster.remove(member, index);
  }
  expect([seen, roster.size]).toEqual([['ann', 'bob', 'cid'], 0]);
});
