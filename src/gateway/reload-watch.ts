import type { Reload, ReloadState } from '../config/reload.ts';
import type { Log } from '../telemetry/log.ts';

/** A line of the log stays short enough to be read, and to be written whole beside those of other workers. */
const problemsMax = 10;

/** What operators can see of reloads: a line for each that was refused, and how the last one ended. */
export class ReloadWatch {
  readonly #log: Log;
  #state: ReloadState;

  constructor(log: Log, state: ReloadState) {
    this.#log = log;
    this.#state = state;
  }

  get state(): ReloadState {
    return this.#state;
  }

  note({ state, refusal }: Reload): void {
    this.#state = state;
    if (!refusal) return;
    const { file, reason, problems } = refusal;
    const shown = problems.length === 0 ? {} : { problems: problems.slice(0, problemsMax) };
    this.#log.error({ file, reason, ...shown }, 'the configuration file was not applied');
  }
}
