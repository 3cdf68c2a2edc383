import { BenchConnection, chatRequest } from './client-connection.ts';
import type { LoadAddress, HoldReply } from './load-order.ts';

/** Connections that are opened at once. More could overflow an accept queue. */
const openingAtOnce = 100;

const usualLimits = {
  /** How long one stream may take to open, and all of them to complete. */
  waitMs: 20_000,
  /** How long opening all streams may take. A proxy that stops answering would cost `waitMs` for every hundred streams. */
  openAllWithinMs: 180_000,
};

/** Streams that stay open until the upstream completes them. */
export class HeldStreams {
  private readonly endings: Promise<string | undefined>[] = [];
  private readonly limits: typeof usualLimits;

  constructor(limits = usualLimits) {
    this.limits = limits;
  }

  /** Opens more streams. A stream counts as served when its first bytes have arrived. */
  async open(to: LoadAddress, count: number): Promise<HoldReply> {
    const outcomes: (string | undefined)[] = [];
    const { waitMs, openAllWithinMs } = this.limits;
    let left = count;
    const deadline = performance.now() + openAllWithinMs;
    const openInTurn = async () => {
      while (left > 0 && performance.now() < deadline) {
        left -= 1;
        const stream = openStream(to, waitMs);
        this.endings.push(stream.ended);
        outcomes.push(await stream.begun);
      }
    };
    await Promise.all(Array.from({ length: openingAtOnce }, openInTurn));
    const late = `${left} streams were not tried, because ${outcomes.length} took ${openAllWithinMs / 1e3} s`;
    return summary([...Array.from({ length: left }, () => late), ...outcomes]);
  }

  /** Waits until every stream has ended. A stream counts as served if its answer was complete. */
  async collect(): Promise<HoldReply> {
    return summary(await Promise.all(this.endings.splice(0).map((ended) => withinTime(ended, this.limits.waitMs))));
  }
}

/** Each promise resolves to an error text, or to undefined. */
function openStream(
  to: LoadAddress,
  waitMs: number,
): { begun: Promise<string | undefined>; ended: Promise<string | undefined> } {
  const begun = Promise.withResolvers<string | undefined>();
  const ended = Promise.withResolvers<string | undefined>();
  const end = (fault: string | undefined) => {
    begun.resolve(fault);
    ended.resolve(fault);
    connection.close();
  };
  const connection = new BenchConnection(to, {
    onOpen: () => connection.send(chatRequest(to, 'held')),
    onRead: (_, reader) => {
      if (reader.begun) begun.resolve(undefined);
    },
    onEnd: end,
    onBreak: end,
  });
  return { begun: withinTime(begun.promise, waitMs), ended: ended.promise };
}

async function withinTime(outcome: Promise<string | undefined>, waitMs: number): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('a held stream did not answer in time'), waitMs);
  const first = await Promise.race([outcome, late.promise]);
  clearTimeout(timer);
  return first;
}

function summary(outcomes: readonly (string | undefined)[]): HoldReply {
  const faults = outcomes.filter((fault) => fault !== undefined);
  return { served: outcomes.length - faults.length, failures: faults.length, firstFailure: faults[0] };
}
