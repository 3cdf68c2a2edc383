import { z } from 'zod';
import type { Route } from '../http/route.ts';
import type { AuditChange } from './audit.ts';
import type { AdminParts } from './parts.ts';
import type { Role } from './roles.ts';
import { checkedBody, checkedQuery } from './sent-values.ts';
import type { AdminCaller } from './caller.ts';
import type { Versioned } from './versioned.ts';

/** A schema and what the document calls it. */
export interface SchemaEntry<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  /** Parts of it that have a name of their own. */
  readonly inside?: readonly SchemaEntry[];
}

interface Description {
  readonly method: Route['method'];
  /** At most one segment is a parameter, and it is called `:id`. */
  readonly path: string;
  /** Names the endpoint in the document, and what it does in the audit log. */
  readonly operationId: string;
  readonly summary: string;
  /** The least role it asks for. */
  readonly access: Role;
  /** What it changes, where a write may name the version it has seen. */
  readonly versioned?: Versioned | undefined;
  /** Whether what is sent may be a guess: who is refused often is answered later and later. */
  readonly isGuess?: true;
  /** Whether its reply is remembered nowhere, since it tells what can be deleted: sent again, it is done again. */
  readonly isDisclosure?: true;
}

/** An endpoint of one of the two APIs: what the document says of it, what guards it, and what it does. */
export interface Endpoint extends Description {
  readonly query: z.ZodObject;
  readonly body: SchemaEntry | undefined;
  readonly reply: SchemaEntry;
  /** Whether it runs in a transaction together with its line in the audit log. */
  readonly isWrite: boolean;
  /** What the reply is if not JSON; one of pieces is an `AsyncIterable` of texts. */
  readonly media?: Media | undefined;
  /** Holds what was sent against the schemas, and returns the work that is left. */
  prepare(sent: SentDocument): PreparedCall;
}

/** A reply that is text of another kind, and the name under which a browser keeps it. */
interface Media {
  readonly type: 'text/csv';
  readonly fileName: string;
}

/** A request that is valid, as far as its schemas go. */
interface PreparedCall {
  /** Comes before the work of a write, outside of its transaction; not where the work was done and is only told again. */
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

/** Where the caller reached the gateway. */
export interface ResourceAddress {
  /** As it selects a site. */
  readonly host: string;
  /** The beginning of every address here. */
  readonly url: string;
}

export interface WriteOutcome {
  readonly reply: unknown;
  /** Left out when nothing was changed. */
  readonly change?: AuditChange | undefined;
}

/** One valid request, as an endpoint sees it. */
export interface AdminCall<Query, Body = undefined> {
  readonly parts: AdminParts;
  readonly caller: AdminCaller;
  /** The path's parameter. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The body as it was sent, without what the schema fills in. */
  readonly sent: unknown;
  readonly address: ResourceAddress;
}

interface ReadEndpoint<Query extends z.ZodObject, Reply extends z.ZodType> extends Description {
  readonly method: 'GET';
  readonly query?: Query;
  readonly reply: SchemaEntry<Reply>;
  readonly media?: Media;
  readonly run: (call: AdminCall<z.output<Query>>) => Promise<z.input<Reply>>;
}

/** A table that may be of any length: it is made as it is read. */
interface Streaming<Query extends z.ZodObject> extends Description {
  readonly method: 'GET';
  readonly query: Query;
  readonly reply: SchemaEntry<z.ZodString>;
  readonly media: Media;
  readonly run: (call: AdminCall<z.output<Query>>) => Promise<AsyncIterable<string>>;
}

/** Something is looked into that may take a while or ask others; nothing of ours changes. */
interface ActionEndpoint<Reply extends z.ZodType> extends Description {
  readonly method: 'POST';
  readonly reply: SchemaEntry<Reply>;
  readonly run: (call: AdminCall<Nothing>) => Promise<z.input<Reply>>;
}

interface WriteEndpoint<Body extends z.ZodType, Reply extends z.ZodType> extends Description {
  readonly method: Exclude<Route['method'], 'GET'>;
  readonly body?: SchemaEntry<Body>;
  readonly reply: SchemaEntry<Reply>;
  /** What others are asked for before it, who may take a while: whoever waits for them keeps nobody else from writing. */
  readonly first?: (call: AdminCall<Nothing, z.output<Body>>) => Promise<void>;
  /** Runs inside one transaction, together with the audit line of its change. */
  readonly run: (
    call: AdminCall<Nothing, z.output<Body>>,
  ) => Promise<{ reply: z.input<Reply>; change?: AuditChange | undefined }>;
}

type Nothing = Readonly<Record<string, never>>;

const noQuery = z.strictObject({});

export function reading<Reply extends z.ZodType, Query extends z.ZodObject = typeof noQuery>({
  run,
  ...definition
}: ReadEndpoint<Query, Reply>): Endpoint {
  const query = definition.query ?? (noQuery as unknown as Query);
  return {
    ...definition,
    query,
    body: undefined,
    isWrite: false,
    prepare: ({ id, address, ...sent }) => {
      const asked = checkedQuery(query, sent.query);
      const said = { id, query: asked, body: undefined, sent: undefined, address };
      return { work: async (parts, caller) => ({ reply: await run({ parts, caller, ...said }) }) };
    },
  };
}

/** An endpoint whose reply comes in pieces. What is wrong with a request is said before the first of them. */
export function streaming<Query extends z.ZodObject>({ run, ...definition }: Streaming<Query>): Endpoint {
  return {
    ...definition,
    body: undefined,
    isWrite: false,
    prepare: ({ id, address, ...sent }) => {
      const query = checkedQuery(definition.query, sent.query);
      const said = { id, query, body: undefined, sent: undefined, address };
      return { work: async (parts, caller) => ({ reply: await run({ parts, caller, ...said }) }) };
    },
  };
}

export function asking<Reply extends z.ZodType>({ run, ...definition }: ActionEndpoint<Reply>): Endpoint {
  return {
    ...definition,
    query: noQuery,
    body: undefined,
    isWrite: false,
    prepare: ({ id, address, ...sent }) => {
      const query = checkedQuery(noQuery, sent.query) as Nothing;
      const said = { id, query, body: undefined, sent: undefined, address };
      return { work: async (parts, caller) => ({ reply: await run({ parts, caller, ...said }) }) };
    },
  };
}

export function writing<Reply extends z.ZodType, Body extends z.ZodType = z.ZodUndefined>({
  first,
  run,
  ...definition
}: WriteEndpoint<Body, Reply>): Endpoint {
  const { body } = definition;
  return {
    ...definition,
    query: noQuery,
    body,
    isWrite: true,
    prepare: ({ id, address, ...sent }) => {
      const query = checkedQuery(noQuery, sent.query) as Nothing;
      const value = (body && checkedBody(body.schema, sent.body)) as z.output<Body>;
      const said = { id, query, body: value, sent: sent.body, address };
      return {
        first: first && ((parts, caller) => first({ parts, caller, ...said })),
        work: (parts, caller) => run({ parts, caller, ...said }),
      };
    },
  };
}
