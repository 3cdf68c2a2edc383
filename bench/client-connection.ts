import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { LoadAddress } from './load-order.ts';
import type { Workload } from './workload.ts';

/** Callbacks of a connection. In `onEnd` the owner may send the next request, if the connection is still `open`. */
export interface ConnectionEvents {
  onOpen(): void;
  onRead(bytes: Buffer, reader: AnswerReader): void;
  /** The answer is complete. An answer with a fault does not count. */
  onEnd(fault: string | undefined): void;
  /** The connection broke. No answer follows. */
  onBreak(reason: string): void;
}

/**
 * A keep-alive connection with one request at a time. It uses a bare socket, because the load must cost less than the
 * proxy that it measures.
 */
export class BenchConnection {
  open = true;
  private readonly socket: Socket;
  private readonly events: ConnectionEvents;
  private reader: AnswerReader | undefined;

  constructor(to: LoadAddress, events: ConnectionEvents) {
    this.events = events;
    this.socket = connect({ host: '127.0.0.1', port: to.port, noDelay: true });
    this.socket.on('connect', () => events.onOpen());
    this.socket.on('data', (bytes) => this.read(bytes));
    this.socket.on('error', (error) => this.breakOff(error.message));
    this.socket.on('close', () => this.breakOff('the connection was closed'));
  }

  send(request: string): void {
    this.reader = new AnswerReader();
    this.socket.write(request, 'latin1');
  }

  close(): void {
    this.open = false;
    this.socket.destroy();
  }

  private read(bytes: Buffer): void {
    const reader = this.reader;
    if (reader === undefined) return;
    const ended = reader.push(bytes);
    this.events.onRead(bytes, reader);
    if (!ended) return;
    this.reader = undefined;
    if (!reader.keepAlive) this.close();
    this.events.onEnd(reader.fault);
  }

  private breakOff(reason: string): void {
    if (!this.open) return;
    this.close();
    this.events.onBreak(reason);
  }
}

/** The headers that a usual client library sends with every request. */
const libraryHeaders = [
  'Accept: application/json',
  'Content-Type: application/json',
  'User-Agent: OpenAI/JS 7.53.0',
  'X-Stainless-Arch: x64',
  'X-Stainless-Lang: js',
  'X-Stainless-OS: Linux',
  'X-Stainless-Package-Version: 7.53.0',
  'X-Stainless-Retry-Count: 0',
  'X-Stainless-Runtime: node',
  'X-Stainless-Runtime-Version: v24.21.0',
  'Accept-Language: *',
  'Sec-Fetch-Mode: cors',
  'Accept-Encoding: gzip, deflate',
  '',
].join('\r\n');

/** A small chat request with the headers of a client library. */
export function chatRequest(to: LoadAddress, workload: Workload): string {
  const body = JSON.stringify({
    model: workload,
    messages: [
      { role: 'system', content: 'You are a helpful assistant. Answer briefly and name your sources.' },
      { role: 'user', content: 'Why does the sea look blue on some days and grey on others?' },
    ],
    temperature: 0.7,
    max_tokens: 512,
    stream: true,
    stream_options: { include_usage: true },
  });
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${to.port}\r\nAuthorization: Bearer ${to.key}\r\n` +
    `Connection: keep-alive\r\n${libraryHeaders}${(to.headers ?? []).map((line) => `${line}\r\n`).join('')}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}
