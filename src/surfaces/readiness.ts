import type { ReadinessCheck } from './health.ts';

/** What is known of the process when somebody asks whether it wants more requests. */
export interface ProcessState {
  readonly isShuttingDown: boolean;
  /** Why a new request could not be charged, as a sentence. */
  readonly ledgerProblem: string | undefined;
  /** What is worth knowing while it still could be. */
  readonly ledgerNote: string | undefined;
  /** How long ago the store last answered. */
  readonly storeSeenMs: number;
  /** The longest recent time in which nobody was answered, if anybody would have noticed. */
  readonly recentBlockMs: number | undefined;
  /** Whether memory, or what waits in it, keeps new bodies from being read. */
  readonly isPressed: boolean;
  /** What the machine was short of a moment ago, in the system's words. */
  readonly recentShortage: string | undefined;
}

/** The store is asked every half second; this is longer than a passing hiccup. */
export const storeLateMs = 5000;
/**
 * By then another process may have taken this one for dead. Before, what is known and set aside here is used, and what is
 * not waits: nobody would gain by being sent to others, which may be no better off.
 */
const storeSilenceMaxMs = 30_000;

/** A line a check; sentences where something is wrong, the most lasting first. */
export function readinessOf(state: ProcessState): readonly ReadinessCheck[] {
  const { isShuttingDown, storeSeenMs, ledgerProblem, ledgerNote, recentBlockMs, isPressed, recentShortage } = state;
  const blockedS = ((recentBlockMs ?? 0) / 1000).toFixed(1);
  return [
    { name: 'serving', problem: isShuttingDown ? 'This process is shutting down.' : undefined },
    {
      name: 'store',
      problem: storeSeenMs > storeSilenceMaxMs ? 'The store does not answer.' : undefined,
      note: storeSeenMs > storeLateMs ? storeNote : undefined,
    },
    { name: 'ledger', problem: ledgerProblem, note: ledgerNote },
    { name: 'event_loop', problem: recentBlockMs === undefined ? undefined : `It was blocked for ${blockedS} s.` },
    { name: 'memory', problem: isPressed ? 'There is too little room for more requests.' : undefined },
    { name: 'system', problem: recentShortage === undefined ? undefined : shortageText(recentShortage) },
  ];
}

const storeNote =
  'The store does not answer just now: who is known is served from what is set aside, and everybody else waits.';

function shortageText(shortage: string): string {
  const remedy = filesUsedUp.test(shortage) ? ' Raise the limit of open files (ulimit -n).' : '';
  return `This machine is short of something that a connection needs: ${shortage}.${remedy}`;
}

const filesUsedUp = /EMFILE|ENFILE/;
