import type { Arbiter, ClusterMember } from './arbiter.ts';
import { hear } from './lease-book.ts';
import { afterSharedState, type StoredSharedState } from './shared-state.ts';

/**
 * An arbiter in the memory of one process: of the parent of workers, or of a simulated world. Its clock only goes
 * forward. It may be told which of the silent are still connected; who is gone should be made to leave.
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
      if (!heard) throw new Error('a later report has been heard already');
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
