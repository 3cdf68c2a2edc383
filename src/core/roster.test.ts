import { expect, test } from 'vitest';
import { Roster } from './roster.ts';

const members = (roster: Roster<string>) => Array.from(roster.entries(), ([member]) => member);

test('a place that was given back is the next one’s, and names nobody meanwhile', () => {
  const roster = new Roster<string>();
  const [ann, bob] = [roster.add('ann'), roster.add('bob')];
  expect(roster.remove('ann', ann)).toBe(true);
  expect([members(roster), roster.size]).toEqual([['bob'], 1]);
  expect(roster.add('cid')).toBe(ann);
  expect([members(roster), roster.size]).toEqual([['cid', 'bob'], 2]);
  expect(roster.remove('bob', bob)).toBe(true);
  expect([members(roster), roster.size]).toEqual([['cid'], 1]);
});

test('nobody leaves twice, nor from the place of another', () => {
  const roster = new Roster<string>();
  const place = roster.add('ann');
  expect(roster.remove('bob', place)).toBe(false);
  expect([roster.remove('ann', place), roster.remove('ann', place)]).toEqual([true, false]);
  roster.add('bob');
  expect(roster.remove('ann', place)).toBe(false);
  expect([members(roster), roster.size]).toEqual([['bob'], 1]);
});

test('who leaves while all are looked at does not keep the others from being seen', () => {
  const roster = new Roster<string>();
  for (const member of ['ann', 'bob', 'cid']) roster.add(member);
  const seen: string[] = [];
  for (const [member, place] of roster.entries()) {
    seen.push(member);
    roster.remove(member, place);
  }
  expect([seen, roster.size]).toEqual([['ann', 'bob', 'cid'], 0]);
});
