/** Who may be asked to send a harmless piece of the reply. */
export interface ProbedConnection {
  /** Sends it; `false` when there is nothing left to send or no reason to. */
  probe(): boolean;
}

/** From one probe to the next. The second one fails if the first was answered with a reset meanwhile. */
const pausesMs = [20, 80, 300, 1000, 3000];

/**
 * Finds out whether a client that stopped sending still reads. A client that leaves and one that only closed its sending
 * side look the same until something is written, so small pieces of the reply are written early: to the one who left
 * they fail, to the other they are part of the reply.
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
