import { z } from 'zod';
import type { Route } from '../../../serving/http/route.ts';
import type { AuditChange } from './audit.ts';
import type { AdminParts } from '../parts.ts';
import type { Role, AdminCaller } from './caller.ts';
import { checkedBody, checkedQuery } from './sent-values.ts';
import type { Versioned } from './versioned.ts';

/** A schema and its name in the OpenAPI document. */
export interface SchemaEntry<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  /** Nested schemas with a name of their own. */
  readonly inside?: readonly SchemaEntry[];
}

type Method = Route['method'];

interface Description {
  readonly summary: string;
  /** The resource that it changes, if a write may name a version of it in `If-Match`. */
  readonly versioned?: Versioned | undefined;
  /** Whether the body may be a guess. Repeated failures then delay further attempts. */
  readonly isGuess?: true;
  /** Whether the reply holds data that can be deleted. It is not stored for idempotency then: a retry runs again. */
  readonly isDisclosure?: true;
}

/** An endpoint of the admin or account API: its description, its access rule and its work. */
export interface Endpoint extends Description {
  readonly method: Method;
  /** At most one segment is a parameter, and it is called `:id`. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document and in the audit log. */
  readonly operationId: string;
  readonly access: Role;
  readonly query: z.ZodObject;
  readonly body: SchemaEntry | undefined;
  readonly reply: SchemaEntry;
  readonly isWrite: boolean;
  /** The type of a reply that is not JSON. A streamed reply is an `AsyncIterable` of texts or bytes. */
  readonly media?: Media | undefined;
  /** Validates the request and returns the remaining work. Throws if the request is invalid. */
  prepare(sent: SentDocument): PreparedCall;
}

/** A reply that is not JSON, and its file name for browsers. */
interface Media {
  readonly type: 'text/csv' | 'application/pdf' | 'application/x-jsonl';
  readonly fileName: string;
}

interface PreparedCall {
  /** Runs before a write, outside its transaction. Skipped if the reply to an earlier attempt is returned. */
  readonly first?: AdminWork<void> | undefined;
  readonly work: AdminWork<WriteOutcome>;
}

export type AdminWork<Result> = (parts: AdminParts, caller: AdminCaller) => Promise<Result>;

interface SentDocument {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly address: ResourceAddress;
}

/** The address at which the caller reached the gateway. */
export interface ResourceAddress {
  /** Selects the site. */
  readonly host: string;
  readonly url: string;
}

export interface WriteOutcome<Reply = unknown> {
  readonly reply: Reply;
  /** Left out if nothing changed. */
  readonly change?: AuditChange | undefined;
}

export interface AdminCall<Query, Body = undefined> {
  readonly parts: AdminParts;
  readonly caller: AdminCaller;
  /** The path parameter. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The body as sent, without the defaults of the schema. */
  readonly sent: unknown;
  readonly address: ResourceAddress;
}

interface ReadEndpoint<Query extends z.ZodObject, Reply extends z.ZodType> extends Description {
  readonly query?: Query;
  readonly reply: SchemaEntry<Reply>;
  readonly media?: Media;
  readonly run: (call: AdminCall<z.output<Query>>) => Promise<z.input<Reply> | StreamedReply<Reply>>;
}

/**
 * A text of any length may be generated while it is sent. An invalid request is refused before its first piece. Other
 * media than text are bytes.
 */
type StreamedReply<Reply> = Reply extends z.ZodString ? AsyncIterable<string | Buffer> | Buffer : never;

interface ActionEndpoint<Body extends z.ZodType, Reply extends z.ZodType> extends Description {
  readonly body?: SchemaEntry<Body>;
  readonly reply: SchemaEntry<Reply>;
  readonly run: (call: AdminCall<NoQuery, z.output<Body>>) => Promise<z.input<Reply>>;
}

interface WriteEndpoint<Body extends z.ZodType, Reply extends z.ZodType> extends Description {
  readonly body?: SchemaEntry<Body>;
  /** Checked instead of the schema of the body. The work then checks `sent`, together with stored data. */
  readonly bodyCheck?: z.ZodType;
  readonly reply: SchemaEntry<Reply>;
  /** A streamed reply begins after the commit. Its pieces cannot use the store of the transaction. */
  readonly media?: Media;
  /** Calls other services before the transaction, so that a slow one does not block other writes. */
  readonly first?: (call: AdminCall<NoQuery, z.output<Body>>) => Promise<void>;
  /** Runs in one transaction, together with its audit log entry. */
  readonly run: (
    call: AdminCall<NoQuery, z.output<Body>>,
  ) => Promise<WriteOutcome<z.input<Reply> | StreamedReply<Reply>>>;
}

type NoQuery = Readonly<Record<string, never>>;

const noQuery = z.strictObject({});

export function readEndpoint<Reply extends z.ZodType, Query extends z.ZodObject = typeof noQuery>(
  route: `GET ${string}`,
  operationId: string,
  access: Role,
  { run, query = noQuery as unknown as Query, ...definition }: ReadEndpoint<Query, Reply>,
): Endpoint {
  return endpointOf<z.output<Query>, undefined>(
    route,
    { ...definition, operationId, access, query, body: undefined, isWrite: false },
    (request) => ({ work: async (parts, caller) => ({ reply: await run({ parts, caller, ...request }) }) }),
  );
}

/** A check that may be slow or call another service. It changes no data here. */
export function actionEndpoint<Reply extends z.ZodType, Body extends z.ZodType = z.ZodUndefined>(
  route: `POST ${string}`,
  operationId: string,
  access: Role,
  { run, body, ...definition }: ActionEndpoint<Body, Reply>,
): Endpoint {
  return endpointOf<NoQuery, z.output<Body>>(
    route,
    { ...definition, operationId, access, query: noQuery, body, isWrite: false },
    (request) => ({ work: async (parts, caller) => ({ reply: await run({ parts, caller, ...request }) }) }),
  );
}

export function writeEndpoint<Reply extends z.ZodType, Body extends z.ZodType = z.ZodUndefined>(
  route: `${Exclude<Method, 'GET'>} ${string}`,
  operationId: string,
  access: Role,
  { first, run, body, ...definition }: WriteEndpoint<Body, Reply>,
): Endpoint {
  return endpointOf<NoQuery, z.output<Body>>(
    route,
    { ...definition, operationId, access, query: noQuery, body, isWrite: true },
    (request) => ({
      first: first && ((parts, caller) => first({ parts, caller, ...request })),
      work: (parts, caller) => run({ parts, caller, ...request }),
    }),
  );
}

function endpointOf<Query, Body>(
  route: string,
  { bodyCheck, ...definition }: Omit<Endpoint, 'method' | 'path' | 'prepare'> & { readonly bodyCheck?: z.ZodType },
  prepared: (request: Omit<AdminCall<Query, Body>, 'parts' | 'caller'>) => PreparedCall,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string];
  const { query, body } = definition;
  return {
    ...definition,
    method,
    path,
    prepare: ({ id, address, ...sent }) =>
      prepared({
        id,
        address,
        query: checkedQuery(query, sent.query) as Query,
        body: (body && checkedBody(bodyCheck ?? body.schema, sent.body)) as Body,
        sent: sent.body,
      }),
  };
}
