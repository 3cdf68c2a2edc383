import { expect, test } from 'vitest';
import { serviceState } from './service-state.ts';

const well = [{ name: 'store', problem: undefined }];
const ill = [{ name: 'store', problem: 'The store does not answer.' }];
const worse = [...ill, { name: 'ledger', problem: 'The disk is full.' }];

test('the service is ready while one worker is, and says how many are', () => {
  expect(serviceState([well, well])).toEqual([...well, { name: 'workers', problem: undefined, note: undefined }]);
  expect(serviceState([ill, well])).toEqual([
    ...well,
    { name: 'workers', problem: undefined, note: '1 of 2 are ready.' },
  ]);
  expect(serviceState([undefined, well]).every(({ problem }) => problem === undefined)).toBe(true);
});

test('with none of them ready it is as well as the best of them', () => {
  const none = { name: 'workers', problem: 'None of the workers is ready.' };
  expect(serviceState([worse, ill])).toMatchObject([...ill, none]);
  expect(serviceState([undefined, undefined])).toMatchObject([none]);
});
