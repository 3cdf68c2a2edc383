import { expect, test } from 'vitest';
import { timeZones } from './time-zone.ts';

test('zones can be chosen by the names their cities have today, each once', () => {
  const zones = timeZones();
  expect(zones).toEqual(
    expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'Europe/Kyiv', 'Asia/Shanghai']),
  );
  expect(new Set(zones).size).toBe(zones.length);
});
