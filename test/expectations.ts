import { expect } from 'vitest';
import type { GatewayReply } from './gateways/gateway.ts';

/** The contract of every response, with any status. */
export function expectGatewayHeaders(reply: Pick<GatewayReply, 'status' | 'headers'>): void {
  expect(reply.headers.get('x-gateway-version')).toMatch(/^\d{8}-\d{6}$/);
  expect(reply.headers.get('x-gateway-request-id')).toMatch(/\S{8,}/);
  expect(reply.status).not.toBe(429);
  for (const name of reply.headers.keys()) expect(name).not.toMatch(/^retry-after$|ratelimit/i);
}

/** The contract of every error. */
export function expectEnvelope(reply: GatewayReply, expected: { status: number; code: string; type: string }): void {
  const { error } = reply.json;
  expect({ status: reply.status, code: error.code, type: error.type }).toEqual(expected);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(error.message).toContain(`(request id: ${reply.headers.get('x-gateway-request-id')})`);
  expectGatewayHeaders(reply);
}
