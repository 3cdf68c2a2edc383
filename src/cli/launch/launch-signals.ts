import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** The terminal sends these to the agent too. */
const fromTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const forwarded: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];

/**
 * Receives the signals of this process while it holds them, so that it outlives the agent and can revoke the key. Before
 * the agent starts, a signal ends the run. Then it is for the agent.
 */
export class LaunchSignals {
  readonly #controller = new AbortController();
  #agent: ChildProcess | undefined;

  hold(): void {
    for (const name of [...fromTerminal, ...forwarded]) process.on(name, this.#receive);
  }

  /** Aborts at a signal before the agent starts. The reason is an `InterruptedError`. */
  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  giveTo(agent: ChildProcess): void {
    this.#agent = agent;
  }

  release(): void {
    for (const name of [...fromTerminal, ...forwarded]) process.off(name, this.#receive);
  }

  readonly #receive = (name: NodeJS.Signals): void => {
    if (this.#agent === undefined) this.#controller.abort(new InterruptedError(name));
    else if (forwarded.includes(name)) this.#agent.kill(name);
  };
}

export class InterruptedError extends Error {
  readonly status: number;

  constructor(name: NodeJS.Signals) {
    super(`interrupted by ${name}`);
    this.name = 'InterruptedError';
    this.status = statusOf(name);
  }
}

/** The exit status that a shell gives for a program that a signal ended. */
export function statusOf(name: NodeJS.Signals): number {
  return 128 + constants.signals[name];
}
