import type { Arbiter, ClusterMember, ArbiterReply, Report } from '../../platform/cluster/arbiter.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { ArbiterAnswer, ArbiterCall } from './messages.ts';

/** The most calls without a reply; beyond that, the oldest are rejected. */
const openMax = 64;

type Settle = (answer: ArbiterAnswer) => void;

/** A worker's client of the arbiter in its parent. */
export class ParentArbiter implements Arbiter {
  readonly #send: (callId: number, call: ArbiterCall) => void;
  readonly #open = new Map<number, Settle>();
  readonly #listeners = new Set<(processes: readonly string[]) => void>();
  #calls = 0;
  #process: string | undefined;
  #isLost = false;

  constructor(send: (callId: number, call: ArbiterCall) => void) {
    this.#send = send;
  }

  async report(report: Report): Promise<ArbiterReply> {
    this.#process = report.process;
    return (await this.#call({ method: 'report', report })) as ArbiterReply;
  }

  async leave(process: string): Promise<void> {
    await this.#call({ method: 'leave', process });
  }

  async overview(): Promise<readonly ClusterMember[]> {
    return (await this.#call({ method: 'overview' })) as readonly ClusterMember[];
  }

  subscribe(listener: (processes: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  answered(callId: number, answer: ArbiterAnswer): void {
    this.#open.get(callId)?.(answer);
    this.#open.delete(callId);
  }

  /** The parent reports that something changed for this process. */
  woken(): void {
    if (this.#process !== undefined) for (const listener of this.#listeners) listener([this.#process]);
  }

  /** The parent is gone: rejects all open and later calls. */
  lost(): void {
    this.#isLost = true;
    for (const callId of this.#open.keys()) this.answered(callId, noResponse);
  }

  #call(call: ArbiterCall): Promise<unknown> {
    if (this.#isLost) return Promise.reject(new Error(noResponse.message));
    const callId = (this.#calls += 1);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= openMax && oldest !== undefined) this.answered(oldest, noResponse);
    return new Promise((resolve, reject) => {
      this.#open.set(callId, (answer) => (answer.ok ? resolve(answer.value) : reject(errorOf(answer))));
      this.#send(callId, call);
    });
  }
}

function errorOf({ message, isInvariantViolation = false }: Extract<ArbiterAnswer, { ok: false }>): Error {
  return isInvariantViolation ? new InvariantViolation(message) : new Error(message);
}

const noResponse = { ok: false, message: 'the parent process does not respond' } as const;
