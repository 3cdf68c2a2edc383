import { expect, test } from 'vitest';
import { decodeGroups, encodeGroups } from './usage-group.ts';

/** The format of stored deltas. The rollup worker may be of another version than the writer. */
const noted =
  '[["acc_1",1763280000000,"key_1","m",null,"near",200,null,2,0,1,2,10,20,0,5,"9007199254740993","12","13",7,8,9,' +
  '3,1,"7:2;","260:1;","large",null,2],' +
  '["acc_1",1763280000000,"key_1",null,"u",null,503,"overloaded",1,1,0,0,0,0,0,0,"0","0","0",0,0,3,' +
  '0,0,"","",null,"a:b",0]]';
/** A delta of a version without calls, histograms, tags and unwanted streams. */
const earlier = '[["acc_1",1763280000000,"key_1","m",null,"near",200,null,1,0,0,1,10,20,0,5,"1","2","3",7,8,9]]';

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
      calls: 3,
      failed_calls: 1,
      unwanted_streams: 2,
      histograms: '7:2;',
      call_histograms: '260:1;',
      upstream_model: 'large',
      tags: null,
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
      calls: 0,
      failed_calls: 0,
      unwanted_streams: 0,
      histograms: '',
      call_histograms: '',
      upstream_model: null,
      tags: 'a:b',
    },
  ]);
  expect(encodeGroups(groups)).toBe(noted);
});

test('a rollup delta of an earlier version has no calls, histograms, tags or unwanted streams', () => {
  expect(decodeGroups(earlier)).toMatchObject([
    {
      requests: 1,
      duration_ms: 9,
      calls: 0,
      failed_calls: 0,
      unwanted_streams: 0,
      histograms: '',
      upstream_model: null,
      tags: null,
    },
  ]);
});
