import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a process may take to end by itself, which is also the time it has to write its profile. */
const endWithinMs = 5_000;

/** The processes of one run. Each leads a process group of its own, so that nothing it started outlives it. */
export class Children {
  private readonly running = new Set<ChildProcess>();

  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return this.keep(spawn(command, args, { ...options, detached: true }));
  }

  fork(file: URL): ChildProcess {
    return this.keep(fork(file, { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
  }

  async stop(child: ChildProcess): Promise<void> {
    if (!this.running.has(child)) return;
    child.kill('SIGTERM');
    const patience = Date.now() + endWithinMs;
    while (groupAlive(child) && Date.now() < patience) await delay(20);
    this.kill(child);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.running].map((child) => this.stop(child)));
  }

  /** At once and without waiting: for the way out. */
  killAll(): void {
    for (const child of this.running) this.kill(child);
  }

  private keep(child: ChildProcess): ChildProcess {
    child.on('error', () => this.running.delete(child));
    this.running.add(child);
    return child;
  }

  private kill(child: ChildProcess): void {
    this.running.delete(child);
    signalGroup(child, 'SIGKILL');
  }
}

function groupAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0);
}

/** Whether there was a group to signal. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
