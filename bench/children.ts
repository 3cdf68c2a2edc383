import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a process may take to exit, which includes the time to write its profile. */
const endWithinMs = 5_000;

/** The processes of one run. Each leads its own process group, so that no process that it starts outlives it. */
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
    const deadline = Date.now() + endWithinMs;
    while (groupAlive(child) && Date.now() < deadline) await delay(20);
    this.kill(child);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.running].map((child) => this.stop(child)));
  }

  /** Kills all processes without waiting, for use at exit. */
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

/** Returns whether the group existed. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
