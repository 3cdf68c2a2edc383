import { type Failpoint, type FailpointName, failpointNames, noFailpoint } from '../../core/failpoint.ts';
import type { Environment } from './environment.ts';

/**
 * For fault tests: `GATEWAY_FAILPOINT=requests.committed:kill` kills this process at that point, as a power cut would;
 * `requests.committed:kill:3` kills it at the third pass. `stall` blocks the process for two seconds instead, and `throw`
 * throws an error that no code catches.
 */
export function failpointFrom(env: Environment): Failpoint {
  const setting = env.GATEWAY_FAILPOINT;
  if (setting === undefined || setting === '') return noFailpoint;
  const [, name, action, count = '1'] = /^([a-z.-]+):(kill|stall|throw)(?::([1-9]\d{0,5}))?$/.exec(setting) ?? [];
  if (!isFailpoint(name)) {
    throw new Error(
      `GATEWAY_FAILPOINT=${setting} is not valid. Set it to NAME:kill, NAME:stall or NAME:throw, optionally with :COUNT. Names: ${failpointNames.join(', ')}`,
    );
  }
  return at(name, Number(count), action === 'stall' ? stall : action === 'throw' ? throwUncaught : kill);
}

function isFailpoint(name: string | undefined): name is FailpointName {
  return failpointNames.some((known) => known === name);
}

function at(wanted: FailpointName, count: number, act: () => void): Failpoint {
  let passed = 0;
  return (name) => {
    if (name !== wanted) return;
    passed += 1;
    if (passed === count) act();
  };
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

const stallMs = 2000;

function stall(): void {
  for (const untilMs = performance.now() + stallMs; performance.now() < untilMs; );
}

function throwUncaught(): void {
  setImmediate(() => {
    throw new Error('let loose by a failpoint');
  });
}
