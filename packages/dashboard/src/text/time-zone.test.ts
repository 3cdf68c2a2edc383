import { expect, test } from 'vitest';
import { timeZones } from './time-zone.ts';

test('the list contains the current name of each time zone, once', () => {
  const zones = timeZones();
  expect(zones).toEqual(
    expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'Europe/Kyiv', 'Asia/Shanghai']),
  );
  expect(new Set(zones).size).toBe(zones.length);
});
