import { spawnSync } from 'node:child_process';
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

test('the process is killed where it was said, at the pass that was said', () => {
  const script = `
    import { failpointFrom } from ${JSON.stringify(new URL('./failpoint.ts', import.meta.url).href)};
    const failpoint = failpointFrom({ GATEWAY_FAILPOINT: 'requests.committed:kill:2' });
    for (const name of ['requests.committed', 'requests.committing', 'requests.committed', 'requests.committed']) {
      process.stdout.write('+');
      failpoint(name);
    }`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script]);
  expect(signal).toBe('SIGKILL');
  expect(String(stdout)).toBe('+++');
});
