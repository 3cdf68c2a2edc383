import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadAddress } from '../load-order.ts';

/** A running proxy that forwards to the fake upstream. */
export interface Target {
  readonly name: TargetName;
  readonly address: LoadAddress;
  /** Keys of further accounts, if it has accounts. */
  readonly otherKeys?: readonly string[];
  /** The leader of the process group whose CPU and memory count. */
  readonly pid: number;
  /** From the start of its process until its port accepted a connection. */
  readonly listenMs?: number;
  stop(): Promise<void>;
}

/** One of `ownTargets`, or the name of another gateway. */
export type TargetName = string;

export const ownTargets: readonly TargetName[] = ['nginx', 'pipe', 'splice', 'gateway'];

const usuallyReadyWithinMs = 20_000;

/**
 * Waits until the port accepts connections. `describe` returns the program's last output, for the error if it exits
 * first.
 */
export async function waitUntilListening(
  child: ChildProcess,
  port: number,
  describe: () => string,
  readyWithinMs = usuallyReadyWithinMs,
): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the program exited at its start. ${describe()}`);
    if (Date.now() > deadline) throw new Error(`the program does not listen on port ${port}. ${describe()}`);
    await delay(20);
  }
}

/** The process id of a child. Throws if the child did not start. */
export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} could not be started`);
  return child.pid;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.on('connect', () => settle(true));
    socket.on('error', () => settle(false));
  });
}
