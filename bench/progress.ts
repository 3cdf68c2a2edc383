import type { HoldReply } from './load-order.ts';

/** Tells on stderr what is going on and remembers what went wrong. */
export class Progress {
  readonly failures: string[] = [];

  say(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text} …`);
  }

  /** Removes the line, so that the result stands alone. */
  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  noteFailures(where: string, reply: Pick<HoldReply, 'failures' | 'firstFailure'>): void {
    if (reply.failures === 0) return;
    this.failures.push(`${where}: ${reply.failures} answers failed, the first: ${reply.firstFailure}`);
  }
}
