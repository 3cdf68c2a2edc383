import { type Failpoint, type FailpointName, failpointNames, noFailpoint } from '../core/failpoint.ts';
import type { Environment } from './environment.ts';

/**
 * For fault tests: `GATEWAY_FAILPOINT=requests.committed:kill` ends this process there as a power cut would, and
 * `requests.committed:kill:3` when it comes by for the third time. `stall` instead blocks everything for two seconds,
 * and `throw` lets an error loose that nobody catches.
 */
export function failpointFrom(env: Environment): Failpoint {
  const said = env.GATEWAY_FAILPOINT;
  if (said === undefined || said === '') return noFailpoint;
  const [, name, action, count = '1'] = /^([a-z.-]+):(kill|stall|throw)(?::([1-9]\d{0,5}))?$/.exec(said) ?? [];
  if (!isFailpoint(name)) {
    throw new Error(
      `GATEWAY_FAILPOINT=${said} is not NAME:kill, NAME:stall or NAME:throw, with :COUNT or without; names: ${failpointNames.join(', ')}`,
    );
  }
  return at(name, Number(count), action === 'stall' ? stall : action === 'throw' ? letLoose : kill);
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

function letLoose(): void {
  setImmediate(() => {
    throw new Error('let loose by a failpoint');
  });
}
