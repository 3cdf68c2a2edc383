import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the process is killed at the given failpoint, at the given pass', () => {
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
