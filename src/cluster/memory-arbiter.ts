import type { Arbiter, ClusterMember } from './arbiter.ts';
import { hear } from './lease-book.ts';
import { afterSharedState, type StoredSharedState } from './shared-state.ts';

/**
 * An arbiter in the memory of one process: the parent of workers, or a simulated world. Its clock must be monotonic.
 * `isConnected` returns whether a silent process is still connected. The caller should call `leave` for a process that
 * has ended.
 */
export function memoryArbiter(elapsed: () => number, isConnected: (process: string) => boolean = () => false): Arbiter {
  const members = new Map<string, ClusterMember>();
  let news: readonly StoredSharedState[] = [];
  const listeners = new Set<(processes: readonly string[]) => void>();

  const wake = (processes: readonly string[]): void => {
    if (processes.length > 0) for (const listener of listeners) listener(processes);
  };

  const known = (): readonly ClusterMember[] =>
    [...members.values()].map((member) => ({ ...member, isConnected: isConnected(member.process) }));

  return {
    async report(report) {
      const nowMs = elapsed();
      const heard = hear({ members: known(), news }, report, nowMs);
      if (!heard) throw new Error('a later report was applied already');
      for (const member of [heard.member, ...heard.corrected]) members.set(member.process, member);
      for (const process of heard.gone) members.delete(process);
      news = afterSharedState(news, heard.news, nowMs);
      wake(heard.wake);
      return heard.reply;
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
