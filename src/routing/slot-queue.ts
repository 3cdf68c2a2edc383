import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { LaneQueue, Turn, WaitOptions } from './lane-queue.ts';
import { pause } from './pause.ts';
import { type Release, slots } from './slots.ts';

/** A lane's queue that serves in order of arrival. */
export function slotQueue(max: number, clock: Clock): LaneQueue {
  const places = slots(max);
  let limit = max;

  function turn(release: Release, beganAt: number, position: number): Turn {
    return {
      waitMs: clock.elapsed() - beganAt,
      position,
      leave: release,
      async again({ pauseMs, ...wait }) {
        release();
        const leftMs = wait.deadlineMs - clock.elapsed();
        await pause(Math.max(0, Math.min(pauseMs, leftMs)), wait.signal);
        if (pauseMs >= leftMs) throw new GatewayError('overloaded');
        return enter(wait);
      },
    };
  }

  async function enter({ signal, deadlineMs }: WaitOptions): Promise<Turn> {
    const beganAt = clock.elapsed();
    const position = places.waiting;
    return turn(await places.acquire(signal, Math.max(0, deadlineMs - beganAt)), beganAt, position);
  }

  return {
    get running() {
      return places.running;
    },
    get waiting() {
      return places.waiting;
    },
    get limit() {
      return limit;
    },
    tryEnter() {
      const release = places.tryAcquire();
      return release && turn(release, clock.elapsed(), 0);
    },
    enter: (_visitor, wait) => enter(wait),
    resize(newMax) {
      limit = newMax;
      places.resize(newMax);
    },
  };
}
