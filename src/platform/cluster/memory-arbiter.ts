import type { Arbiter, ClusterMember } from './arbiter.ts';
import { applyReport } from './lease-book.ts';
import { afterSharedState, type StoredSharedState } from './shared-state.ts';

/**
 * An arbiter in the memory of one process: the parent of workers, or a simulated world. Its clock must be monotonic.
 * `isConnected` returns whether a silent process is still connected. The caller should call `leave` for a process that
 * has ended.
 */
export function memoryArbiter(elapsed: () => number, isConnected: (process: string) => boolean = () => false): Arbiter {
  const members = new Map<string, ClusterMember>();
  let sharedState: readonly StoredSharedState[] = [];
  const listeners = new Set<(processes: readonly string[]) => void>();

  const wake = (processes: readonly string[]): void => {
    if (processes.length > 0) for (const listener of listeners) listener(processes);
  };

  const known = (): readonly ClusterMember[] =>
    [...members.values()].map((member) => ({ ...member, isConnected: isConnected(member.process) }));

  return {
    async report(report) {
      const nowMs = elapsed();
      const applied = applyReport({ members: known(), sharedState }, report, nowMs);
      if (!applied) throw new Error('a later report was applied already');
      for (const member of [applied.member, ...applied.corrected]) members.set(member.process, member);
      for (const process of applied.gone) members.delete(process);
      sharedState = afterSharedState(sharedState, applied.sharedState, nowMs);
      wake(applied.wake);
      return applied.reply;
    },
    async leave(process) {
      if (members.delete(process)) wake([...members.keys()]);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    overview: () => Promise.resolve(known()),
  };
}
