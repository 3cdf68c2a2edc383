import type { HoldReply } from './load-order.ts';

/** Prints the current step to stderr and collects failures. */
export class Progress {
  readonly failures: string[] = [];

  say(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text} …`);
    else console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
  }

  /** Removes the line before the result is printed. */
  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  noteFailures(where: string, reply: Pick<HoldReply, 'failures' | 'firstFailure'>): void {
    if (reply.failures === 0) return;
    this.failures.push(`${where}: ${reply.failures} answers failed, the first: ${reply.firstFailure}`);
  }
}
