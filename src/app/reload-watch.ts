import type { Reload, ReloadState } from '../platform/config/file/reload.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';

/** Keeps a log line readable, and short enough to be written in one piece among those of other workers. */
const problemsMax = 10;

/** Logs rejected reloads and keeps the result of the last reload. */
export class ReloadWatch {
  readonly #log: Log;
  state: ReloadState;

  constructor(log: Log, state: ReloadState) {
    this.#log = log;
    this.state = state;
  }

  note({ state, refusal }: Reload): void {
    this.state = state;
    if (!refusal) return;
    const { file, reason, problems } = refusal;
    const shown = problems.length === 0 ? {} : { problems: problems.slice(0, problemsMax) };
    this.#log.error({ file, reason, ...shown }, 'the configuration file was not applied');
  }
}
