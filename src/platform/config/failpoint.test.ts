import { expect, test } from 'vitest';
import { noFailpoint } from '../../core/failpoint.ts';
import { failpointFrom } from './failpoint.ts';

test('without the variable, failpoints do nothing', () => {
  expect(failpointFrom({})).toBe(noFailpoint);
  expect(failpointFrom({ GATEWAY_FAILPOINT: '' })).toBe(noFailpoint);
});

test.each(['requests.committed', 'requests.comitted:kill', 'requests.committed:kill:0', ':kill'])(
  'the failpoint %s is refused, and the error lists the valid names',
  (setting) => expect(() => failpointFrom({ GATEWAY_FAILPOINT: setting })).toThrow('requests.committed'),
);
