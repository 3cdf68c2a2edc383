import { expect, test } from 'vitest';
import { decodeGroups, encodeGroups } from './usage-group.ts';

/** The format of stored deltas. The rollup worker may be of another version than the writer. */
const noted =
  '[["acc_1",1763280000000,"key_1","m",null,"near",200,null,2,0,1,2,10,20,0,5,"9007199254740993","12","13",7,8,9],' +
  '["acc_1",1763280000000,"key_1",null,"u",null,503,"overloaded",1,1,0,0,0,0,0,0,"0","0","0",0,0,3]]';

test('a rollup delta in the stored format is decoded correctly', () => {
  const groups = decodeGroups(noted);
  const name = { account_id: 'acc_1', hour: 1_763_280_000_000, key_id: 'key_1' };
  const none = { client_gone: 0, answered: 0, prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0 };
  expect(groups).toEqual([
    {
      ...name,
      model: 'm',
      user_id: null,
      upstream: 'near',
      status: 200,
      error_case: null,
      requests: 2,
      errors: 0,
      client_gone: 1,
      answered: 2,
      prompt_tokens: 10,
      completion_tokens: 20,
      cached_tokens: 0,
      reasoning_tokens: 5,
      cost: 9_007_199_254_740_993n,
      provider_cost: 12n,
      costed: 13n,
      wait_ms: 7,
      first_byte_ms: 8,
      duration_ms: 9,
    },
    {
      ...name,
      model: null,
      user_id: 'u',
      upstream: null,
      status: 503,
      error_case: 'overloaded',
      ...none,
      requests: 1,
      errors: 1,
      cached_tokens: 0,
      cost: 0n,
      provider_cost: 0n,
      costed: 0n,
      wait_ms: 0,
      first_byte_ms: 0,
      duration_ms: 3,
    },
  ]);
  expect(encodeGroups(groups)).toBe(noted);
});
