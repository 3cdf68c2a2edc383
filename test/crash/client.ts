import { request as httpRequest } from 'node:http';
import type { GatewayProcess } from './processes.ts';

/** What a client was told about its request. */
export interface CrashOutcome {
  readonly tag: string;
  readonly gateway: GatewayProcess;
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  /** The answer came to its proper end. */
  readonly isDone: boolean;
  /** The gateway said in a frame that the answer broke off. */
  readonly hasErrorFrame: boolean;
  /** The client had enough before the end. */
  readonly hasLeft: boolean;
}

export interface Visit {
  readonly tag: string;
  readonly gateway: GatewayProcess;
  readonly key: string;
  /** After so long the client leaves, whatever was said until then. */
  readonly leavesAfterMs: number | undefined;
}

/** One chat completion, from the request to whatever end it finds. */
export function visit({ tag, gateway, key, leavesAfterMs }: Visit): Promise<CrashOutcome> {
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
      // A body that is cut short is told by what is missing in it.
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
