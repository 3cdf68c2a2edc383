import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Route } from '../http/route.ts';
import { publicError } from './envelope.ts';

export interface ReadinessCheck {
  readonly name: string;
  /** The problem, as a sentence; undefined if the check passes. */
  readonly problem: string | undefined;
  readonly note?: string | undefined;
}

/** Paths for orchestrators and load balancers. They need no key, and do not call a provider or the store. */
export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `GET /healthz` succeeds while the process runs. `GET /readyz` returns whether it accepts requests, and why not. */
export function healthRoutes(checks: () => readonly ReadinessCheck[]): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', handle: (exchange) => exchange.json(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      handle: (exchange) => {
        const results = checks();
        const body = {
          checks: Object.fromEntries(results.map(({ name, problem, note }) => [name, problem ?? note ?? 'ok'])),
        };
        const [first] = results.filter(({ problem }) => problem !== undefined);
        if (!first) return exchange.json(200, { status: 'ok', ...body });
        const { status, code, message, type } = publicError(
          new GatewayError('not-ready', { detail: first.problem }),
          exchange.id,
        );
        exchange.json(status, { status: 'not ready', ...body, error: { code, message, type } });
      },
    },
  ];
}

interface ProcessState {
  readonly isShuttingDown: boolean;
  /** Why a new request could not be charged, as a sentence. */
  readonly ledgerProblem: string | undefined;
  readonly ledgerNote: string | undefined;
  /** Milliseconds since the last response of the store. */
  readonly storeSeenMs: number;
  /** The longest recent block of the event loop, if it was long enough to notice. */
  readonly recentBlockMs: number | undefined;
  /** Whether a shortage of memory stops the reading of new bodies. */
  readonly isPressed: boolean;
  /** A recent resource shortage of the machine, as the system error. */
  readonly recentShortage: string | undefined;
}

/** The store is polled every 0.5 s. This is longer than a short delay. */
export const storeLateMs = 5000;
/** After this time other processes may treat this one as expired. Before it, requests wait or use cached keys. */
const storeSilenceMaxMs = 30_000;

/** All checks, the longest-lasting problems first. */
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
    {
      name: 'event_loop',
      problem: recentBlockMs === undefined ? undefined : `The event loop was blocked for ${blockedS} s.`,
    },
    { name: 'memory', problem: isPressed ? 'There is too little memory for more requests.' : undefined },
    { name: 'system', problem: recentShortage === undefined ? undefined : shortageText(recentShortage) },
  ];
}

const storeNote = 'The store does not answer: requests with cached keys are served from leased funds, all others wait.';

function shortageText(shortage: string): string {
  const remedy = filesUsedUp.test(shortage) ? ' Raise the limit of open files (ulimit -n).' : '';
  return `This machine lacks a resource for new connections: ${shortage}.${remedy}`;
}

const filesUsedUp = /EMFILE|ENFILE/;
