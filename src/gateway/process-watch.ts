import type { Clock } from '../core/clock.ts';
import { Pressure, type PressureSources } from '../http/pressure.ts';
import { blockWatch } from '../telemetry/block-watch.ts';
import type { VitalSigns } from '../telemetry/vital-signs.ts';

/** How the process itself is doing, looked at a few times a second. */
export interface ProcessWatch {
  readonly pressure: Pressure;
  /** The longest recent time in which nobody was answered, if anybody would have noticed. */
  readonly recentBlockMs: number | undefined;
  start(): void;
  stop(): void;
}

export function processWatch(signs: VitalSigns, clock: Clock, queue: PressureSources['queue']): ProcessWatch {
  const pressure = new Pressure({ ...signs, queue });
  const blocks = blockWatch(signs, clock);
  pressure.onLook(() => blocks.look());
  return {
    pressure,
    get recentBlockMs() {
      return blocks.recentBlockMs;
    },
    start: () => pressure.start(),
    stop() {
      pressure.stop();
      signs.stop();
    },
  };
}
