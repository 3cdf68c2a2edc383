/** A connection that can send a harmless part of its reply as a probe. */
export interface ProbedConnection {
  /** Sends the probe; `false` if there is nothing to send or no reason to. */
  probe(): boolean;
}

/** Delays between probes. A probe fails if the client answered an earlier one with a reset. */
const pausesMs = [20, 80, 300, 1000, 3000];

/**
 * Detects whether a client that stopped sending still reads. A client that left and one that only closed its sending
 * side look the same until the gateway writes. So small parts of the reply are written early: the write fails if the
 * client left, and otherwise it is part of the reply.
 */
export function probeForLeaving(probed: ProbedConnection): void {
  let round = 0;
  const next = (): void => {
    if (!probed.probe()) return;
    const pauseMs = pausesMs[round];
    round += 1;
    if (pauseMs !== undefined) setTimeout(next, pauseMs).unref();
  };
  next();
}
