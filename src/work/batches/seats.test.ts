import { expect, test } from 'vitest';
import type { UnfinishedBatch } from './batch-claims.ts';
import { Seats } from './seats.ts';

function batchOf(id: string, accountId: string): UnfinishedBatch {
  return { id, account_id: accountId } as UnfinishedBatch;
}

const heavy = Array.from({ length: 40 }, (_, at) => batchOf(`a${at}`, 'ann'));
const none: ReadonlyMap<string, number> = new Map();

function takeAll(seats: Seats) {
  const taken = [];
  for (let next = seats.take(); next; next = seats.take()) taken.push(next.seat);
  return taken;
}

test('an account with one batch gets half of the seats next to an account with 40 batches', () => {
  const seats = new Seats();
  seats.open([...heavy, batchOf('b', 'ben')], none, 32);
  expect(takeAll(seats).filter(({ accountId }) => accountId === 'ben')).toHaveLength(16);
});

test('the 33rd account gets the next seat, and lines in other processes count', () => {
  const seats = new Seats();
  const batches = Array.from({ length: 34 }, (_, at) => batchOf(`b${at}`, `account ${at}`));
  seats.open(batches, new Map([['b33', 1]]), 32);
  const [first] = takeAll(seats);
  expect(seats.unseated).toBe(2);
  seats.release(first!);
  expect(seats.take()?.seat.accountId).toBe('account 32');
});

test('an account whose money other requests hold gets one seat more for each line that returns money', () => {
  const seats = new Seats();
  seats.open(heavy, none, 4);
  const [first, second] = takeAll(seats);
  for (const seat of [first!, second!]) {
    seats.lacksMoney('ann');
    seats.release(seat);
  }
  expect(takeAll(seats)).toEqual([]);
  seats.moneyReturned('ann');
  expect(takeAll(seats)).toHaveLength(1);
});
