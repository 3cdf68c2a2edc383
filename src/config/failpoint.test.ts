import { expect, test } from 'vitest';
import { noFailpoint } from '../core/failpoint.ts';
import { failpointFrom } from './failpoint.ts';

test('without the variable nothing happens at any failpoint', () => {
  expect(failpointFrom({})).toBe(noFailpoint);
  expect(failpointFrom({ GATEWAY_FAILPOINT: '' })).toBe(noFailpoint);
});

test.each(['requests.committed', 'requests.comitted:kill', 'requests.committed:kill:0', ':kill'])(
  'a failpoint called %s is refused, with the names there are',
  (said) => expect(() => failpointFrom({ GATEWAY_FAILPOINT: said })).toThrow('requests.committed'),
);
