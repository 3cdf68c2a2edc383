import type { ConformFault } from './gateway.ts';
import { errorReply, type FakeRequest, type FakeGatewayReply, streamReply } from './reply.ts';

/** A fault, and the check that must fail because of it. */
export type FaultRow = readonly [check: string, wrong: string, fault: ConformFault];

/** A chunk that faults can change. */
export interface FakeChunk {
  [field: string]: unknown;
  choices: { [field: string]: unknown; delta: Record<string, unknown> }[];
  usage: Record<string, unknown> | null;
}

/** The body of a catalog, a balance or an error that faults can change. */
interface FakeJsonBody {
  [field: string]: unknown;
  data: Record<string, unknown>[];
  error: Record<string, unknown>;
}

type When = (request: FakeRequest) => boolean;

/** A fault that changes every reply to matching requests. */
export function changing(when: When, change: (reply: FakeGatewayReply, request: FakeRequest) => void): ConformFault {
  return {
    change: (reply, request) => {
      if (when(request)) change(reply, request);
    },
  };
}

/** A fault that changes the JSON body of every reply to matching requests. */
export function changingJson(when: When, change: (body: FakeJsonBody) => void): ConformFault {
  return changing(when, (reply) => {
    const body = JSON.parse(reply.body) as FakeJsonBody;
    change(body);
    reply.body = JSON.stringify(body);
  });
}

/** A fault that changes the chunks of every stream to matching requests. */
export function changingChunks(
  change: (chunks: FakeChunk[], request: FakeRequest) => void,
  when: When = toChat,
): ConformFault {
  return changing(when, (reply, request) => {
    if (reply.status !== 200) return;
    const events = reply.body.split('\n\n').filter((event) => event !== '' && event !== 'data: [DONE]');
    const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)) as FakeChunk);
    change(chunks, request);
    reply.body = streamReply(chunks).body;
  });
}

/** A fault that rejects matching chat requests, with an error of the gateway. */
export function rejecting(when: (json: FakeRequest['json']) => boolean): ConformFault {
  return changing(
    (request) => toChat(request) && when(request.json),
    (reply) => replaceReply(reply, errorReply(400, 'invalid_request', 'gateway_error', 'No.')),
  );
}

/** Replaces a reply but keeps its gateway headers. */
export function replaceReply(reply: FakeGatewayReply, other: FakeGatewayReply): void {
  const id = String(reply.headers['x-gateway-request-id']);
  reply.status = other.status;
  reply.headers = { ...reply.headers, ...other.headers };
  reply.body = other.body.replace('(request id: ID)', `(request id: ${id})`);
}

export function toChat(request: FakeRequest): boolean {
  return request.path === '/v1/chat/completions' && request.method === 'POST';
}

export function to(path: string, method?: string): When {
  return (request) => request.path.split('?')[0] === path && (method === undefined || method === request.method);
}

/** A fault that removes a header from matching replies. */
export function headerless(
  header: string,
  when: (reply: FakeGatewayReply, request: FakeRequest) => boolean,
): ConformFault {
  return {
    change: (reply, request) => {
      if (when(reply, request)) delete reply.headers[header];
    },
  };
}
