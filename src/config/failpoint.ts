import { type Failpoint, type FailpointName, failpointNames, noFailpoint } from '../core/failpoint.ts';
import type { Environment } from './environment.ts';

/**
 * For crash tests: `GATEWAY_FAILPOINT=requests.committed:kill` ends this process there as a power cut would, and
 * `requests.committed:kill:3` when it comes by for the third time.
 */
export function failpointFrom(env: Environment): Failpoint {
  const said = env.GATEWAY_FAILPOINT;
  if (said === undefined || said === '') return noFailpoint;
  const [, name, count = '1'] = /^([a-z.-]+):kill(?::([1-9]\d{0,5}))?$/.exec(said) ?? [];
  if (!isFailpoint(name)) {
    throw new Error(
      `GATEWAY_FAILPOINT=${said} is not NAME:kill or NAME:kill:COUNT; names: ${failpointNames.join(', ')}`,
    );
  }
  return killAt(name, Number(count));
}

function isFailpoint(name: string | undefined): name is FailpointName {
  return failpointNames.some((known) => known === name);
}

function killAt(wanted: FailpointName, count: number): Failpoint {
  let passed = 0;
  return (name) => {
    if (name !== wanted) return;
    passed += 1;
    if (passed === count) process.kill(process.pid, 'SIGKILL');
  };
}
