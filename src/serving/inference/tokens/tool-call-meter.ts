import { isJson } from 'chat-formats/json/safe-json.ts';
import { anomalies } from 'chat-formats/anomaly.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { CallSums } from '../../../money/requests/rollups/call-sums.ts';

/** Arguments are kept until the end to check whether they are valid JSON. Above this size they are not checked. */
const argumentsMax = 4 * 1024 * 1024;

/** Counts the tool calls of an answer by validity. */
export class ToolCallMeter {
  /** Created at the first call, because most answers have none. */
  #arguments: Map<string, string[]> | undefined;
  #cutOff: Set<number> | undefined;
  #length = 0;
  #repaired = 0;
  #announced = 0;

  measure(event: StreamEvent): void {
    if (event.type === 'tool-call-start') {
      (this.#arguments ??= new Map()).set(`${event.choice} ${event.call}`, []);
      (this.#cutOff ??= new Set()).add(event.choice);
    } else if (event.type === 'tool-call-delta') {
      this.#length += event.arguments.length;
      if (this.#length <= argumentsMax) this.#arguments?.get(`${event.choice} ${event.call}`)?.push(event.arguments);
    } else if (event.type === 'finish' && event.reason !== 'length') this.#cutOff?.delete(event.choice);
    else if (event.type === 'anomaly' && event.what === anomalies.repairedCall) this.#repaired++;
    else if (event.type === 'anomaly' && event.what === anomalies.announcedCall) this.#announced++;
  }

  /** The counts at the end; undefined without calls. An incomplete call of a truncated answer does not count. */
  sums(): CallSums | undefined {
    if ((!this.#arguments && this.#announced === 0) || this.#length > argumentsMax) return undefined;
    let valid = 0;
    let failed = this.#announced;
    for (const [call, pieces] of this.#arguments ?? []) {
      if (isJson(pieces.join(''))) valid++;
      else if (!this.#cutOff?.has(Number.parseInt(call, 10))) failed++;
    }
    const repaired = Math.min(this.#repaired, valid);
    return { seen: valid + failed, parsed: valid - repaired, repaired, failed };
  }
}
