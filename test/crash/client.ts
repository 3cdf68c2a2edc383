import { request as httpRequest } from 'node:http';
import type { GatewayProcess } from './processes.ts';

/** The outcome of a request, as its client saw it. */
export interface CrashOutcome {
  readonly tag: string;
  readonly gateway: GatewayProcess;
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  /** The answer ended properly. */
  readonly isDone: boolean;
  /** The gateway sent an error frame. */
  readonly hasErrorFrame: boolean;
  /** The client disconnected before the end. */
  readonly hasLeft: boolean;
}

export interface CrashRequest {
  readonly tag: string;
  readonly gateway: GatewayProcess;
  readonly key: string;
  /** The time after which the client disconnects. */
  readonly leavesAfterMs: number | undefined;
}

/** Sends one chat completion. Resolves with its outcome and never rejects. */
export function sendRequest({ tag, gateway, key, leavesAfterMs }: CrashRequest): Promise<CrashOutcome> {
  return new Promise((resolve) => {
    let text = '';
    let hasLeft = false;
    let status: number | undefined;
    let requestId: string | undefined;
    const request = httpRequest({
      host: '127.0.0.1',
      port: gateway.port,
      path: '/v1/chat/completions',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    });
    const leaving = setTimeout(() => {
      hasLeft = true;
      request.destroy();
    }, leavesAfterMs ?? neverMs);
    request.on('response', (response) => {
      status = response.statusCode;
      requestId = response.headers['x-gateway-request-id'] as string | undefined;
      response.setEncoding('utf8').on('data', (piece: string) => void (text += piece));
      // The text shows whether the body was truncated.
      response.on('error', () => undefined);
    });
    request.on('error', () => undefined);
    request.on('close', () => {
      clearTimeout(leaving);
      const isDone = text.endsWith('data: [DONE]\n\n');
      const hasErrorFrame = text.includes('data: {"error":');
      resolve({ tag, gateway, requestId, status, isDone, hasErrorFrame, hasLeft: hasLeft && !isDone });
    });
    request.end(JSON.stringify({ model: 'crash', user_id: tag, messages: [{ role: 'user', content: tag }] }));
  });
}

const neverMs = 600_000;
