import { sharedClockMicros, stampDigits } from './answer-bytes.ts';
import type { AnswerReader } from './answer-reader.ts';
import { BenchConnection, chatRequest } from './client-connection.ts';
import type { LoadAddress, DriveOrder, DriveReply } from './load-order.ts';
import { quantiles } from './statistics.ts';

/** How long running answers may take at the end of a drive before they count as failed. */
const finishWithinMs = 10_000;

/** Keeps every connection busy for the given time and returns the results. */
export async function drive(order: DriveOrder): Promise<DriveReply> {
  const results: DriveResults = {
    requests: 0,
    answers: 0,
    failures: 0,
    firstFailure: undefined,
    reads: 0,
    firstByteMicros: [],
    wholeMicros: [],
    chunkMicros: [],
  };
  const now = performance.now();
  const connections = Array.from({ length: order.connections }, (_, index) => {
    const beginAt = now + (index / order.connections) * order.spreadMs;
    const to = order.to[index % order.to.length] ?? order.to[0];
    return new DriveConnection({ ...order, to }, results, { beginAt, endAt: now + order.durationMs }).finished;
  });
  await Promise.all(connections);
  const { answers, failures, firstFailure, reads, firstByteMicros, wholeMicros, chunkMicros } = results;
  return {
    answers,
    failures,
    firstFailure,
    readsPerAnswer: reads / answers,
    firstByteMicros: quantiles(firstByteMicros),
    wholeMicros: quantiles(wholeMicros),
    chunkMicros: quantiles(chunkMicros),
  };
}

interface DriveResults {
  requests: number;
  answers: number;
  failures: number;
  firstFailure: string | undefined;
  reads: number;
  readonly firstByteMicros: number[];
  readonly wholeMicros: number[];
  readonly chunkMicros: number[];
}

type DriveConnectionOrder = Omit<DriveOrder, 'to'> & { readonly to: LoadAddress };

/** One connection of the drive. It is reopened when the server closes it. */
class DriveConnection {
  readonly finished: Promise<void>;
  private readonly order: DriveConnectionOrder;
  private readonly results: DriveResults;
  private readonly request: string;
  private readonly endAt: number;
  private readonly deadline: NodeJS.Timeout;
  private readonly finish: () => void;
  private connection: BenchConnection | undefined;
  private answersHere = 0;
  private sentAt = 0;
  private waitsForFirstByte = false;

  constructor(
    order: DriveConnectionOrder,
    results: DriveResults,
    time: { readonly beginAt: number; readonly endAt: number },
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.order = order;
    this.results = results;
    this.request = chatRequest(order.to, order.workload);
    this.endAt = time.endAt;
    this.finished = promise;
    this.finish = resolve;
    this.deadline = setTimeout(() => this.fail('an answer did not end'), order.durationMs + finishWithinMs);
    setTimeout(() => this.connect(), Math.max(0, time.beginAt - performance.now()));
  }

  onOpen(): void {
    if (this.allSent) this.leave();
    else this.send();
  }

  onRead(bytes: Buffer, reader: AnswerReader): void {
    this.results.reads += 1;
    if (this.waitsForFirstByte && reader.begun) {
      this.waitsForFirstByte = false;
      if (this.answersHere > 0) this.results.firstByteMicros.push((performance.now() - this.sentAt) * 1e3);
    }
    if (this.order.workload === 'paced') noteStamps(bytes, this.results.chunkMicros);
  }

  onEnd(fault: string | undefined): void {
    this.answersHere += 1;
    this.results.wholeMicros.push((performance.now() - this.sentAt) * 1e3);
    if (fault === undefined) this.results.answers += 1;
    else this.note(fault);
    if (performance.now() >= this.endAt || this.allSent) this.leave();
    else if (this.connection?.open) this.send();
    else this.connect();
  }

  onBreak(reason: string): void {
    this.fail(reason);
  }

  private get allSent(): boolean {
    return this.results.requests >= (this.order.requestsMax ?? Number.POSITIVE_INFINITY);
  }

  private connect(): void {
    this.answersHere = 0;
    this.connection = new BenchConnection(this.order.to, this);
  }

  private send(): void {
    this.results.requests += 1;
    this.sentAt = performance.now();
    this.waitsForFirstByte = true;
    this.connection?.send(this.request);
  }

  private fail(reason: string): void {
    this.note(reason);
    this.leave();
  }

  private note(reason: string): void {
    this.results.failures += 1;
    this.results.firstFailure ??= reason;
  }

  private leave(): void {
    clearTimeout(this.deadline);
    this.connection?.close();
    this.finish();
  }
}

/** Skips a stamp that is split between two reads. These are rare, and no other value depends on them. */
function noteStamps(bytes: Buffer, delaysMicros: number[]): void {
  const now = sharedClockMicros();
  for (let at = bytes.indexOf('@'); at >= 0; at = bytes.indexOf('@', at + 1)) {
    const stamp = bytes.toString('latin1', at + 1, at + 1 + stampDigits);
    if (stamp.length === stampDigits) delaysMicros.push(now - Number(stamp));
  }
}
