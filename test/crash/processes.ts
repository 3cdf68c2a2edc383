import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FailpointName } from '../../src/core/failpoint.ts';
import { launcher } from '../gateways/launcher.ts';
import { processEnvironment } from '../gateways/process-environment.ts';

const provider = join(import.meta.dirname, 'journal-provider.ts');
const shiftedClock = join(import.meta.dirname, '../clocks/shifted-clock.ts');

/** A gateway as an operator runs it. The object stays after a kill, to explain unfinished requests. */
export interface GatewayProcess {
  readonly name: string;
  readonly port: number;
  readonly isAlive: boolean;
  /** Resolves when the process has exited for any reason. */
  readonly gone: Promise<unknown>;
  /** Kills it like a power cut. */
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Its error log without failed requests, which the plan of the provider explains. */
  readonly complaints: readonly string[];
}

export interface GatewayStart {
  readonly name: string;
  readonly config: string;
  /** Another version of the program. Default: this one. */
  readonly program?: string | undefined;
  /** The failpoint at which it kills itself, and at which pass. */
  readonly failpoint?: { readonly name: FailpointName; readonly count: number };
  /** The file with the milliseconds by which its wall clock is shifted. */
  readonly clockFile?: string | undefined;
}

/** Resolves when the gateway serves requests. */
export async function startGatewayProcess(start: GatewayStart): Promise<GatewayProcess> {
  const { name, config, program = launcher, failpoint, clockFile } = start;
  const child = spawn(process.execPath, [program, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...processEnvironment,
      ...(clockFile !== undefined && { NODE_OPTIONS: `--import ${shiftedClock}`, TEST_CLOCK_FILE: clockFile }),
      ...(failpoint && { GATEWAY_FAILPOINT: `${failpoint.name}:kill:${failpoint.count}` }),
    },
  });
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.includes('"msg":"request failed"')) complaints.push(line);
  });
  const gone = once(child, 'exit');
  const port = await portIn(child, /http:\/\/127\.0\.0\.1:(\d+)/);
  if (port === undefined) throw new Error(`${name} did not start: ${complaints.join('\n')}`);
  return {
    name,
    port,
    gone,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
    complaints,
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The provider runs until `stop()` or the exit of this process. */
export async function startProvider(seed: number, journal: string): Promise<{ port: number; stop(): void }> {
  const child = spawn(process.execPath, [provider, String(seed), journal], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await portIn(child, /^(\d+)$/);
  if (port === undefined) throw new Error('the provider did not start');
  return { port, stop: () => void child.kill('SIGKILL') };
}

async function portIn(child: ChildProcess, pattern: RegExp): Promise<number | undefined> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, port] = pattern.exec(line) ?? [];
    if (port === undefined) continue;
    child.stdout!.resume();
    return Number(port);
  }
  return undefined;
}
