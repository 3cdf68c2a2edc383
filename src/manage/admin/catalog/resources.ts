import { z } from 'zod';
import { catalogLock, type ResourceRow, type ShownRow } from '../../../money/catalog/resource-rows.ts';
import { type ResourceKind, resourceKinds } from '../../../platform/config/schema/resource.ts';
import { secretFields } from '../../../platform/config/schema/upstream.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing } from '../api/sent-values.ts';
import type { AdminCaller } from '../api/caller.ts';
import { namedVariables } from '../../../money/catalog/stored-secrets.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { storedResources } from '../api/stored-resources.ts';
import type { Versioned } from '../api/versioned.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';

const schema = z.strictObject({
  kind: z.enum(['upstream', 'model', 'package', 'site']),
  name: z.string(),
  source: z.enum(['file', 'store']).describe('`file`: defined in the configuration file, and changed only there.'),
  updated_at: timeSchema,
  version: versionSchema,
  spec: z.record(z.string(), z.unknown()).describe('As in the configuration file, without secrets.'),
  secrets: z.array(z.string()).describe('Fields that hold a secret. They can be set but are never shown.'),
});

export const resourceReply = { name: 'Resource', schema };
const reply = resourceReply;

export const resourceEndpoints: readonly Endpoint[] = (Object.keys(resourceKinds) as ResourceKind[]).flatMap(
  endpointsOf,
);

function endpointsOf(kind: ResourceKind): readonly Endpoint[] {
  const path = `/admin/v1/${resourceKinds[kind].section}`;
  const noun = kind[0]?.toUpperCase() + kind.slice(1);
  const article = kind === 'upstream' ? 'an' : 'a';
  return [
    readEndpoint(`GET ${path}`, `list${noun}s`, 'read-only', {
      summary: `List ${kind}s, those of the configuration file first.`,
      query: z.strictObject(pageQuery(z.int().min(0))),
      reply: pageOf(reply),
      run: async ({ parts, query: { limit, cursor = 0 } }) => {
        const rows = await storedResources(parts).list(kind);
        const numbered = rows.map((row, index) => ({ row, index })).slice(cursor, cursor + limit + 1);
        return page(numbered, limit, { shown: ({ row }) => resourceDocument(row), position: ({ index }) => index + 1 });
      },
    }),
    readEndpoint(`GET ${path}/:id`, `get${noun}`, 'read-only', {
      summary: `Get ${article} ${kind} by name.`,
      reply,
      run: async ({ parts, id }) => resourceDocument(await rowAt(parts, kind, id)),
    }),
    writeEndpoint(`POST ${path}`, `add${noun}`, 'operator', {
      summary: `Add ${article} ${kind}, written as in the configuration file. It must be consistent with the existing entries.`,
      body: { name: `New${noun}`, schema: resourceKinds[kind].schema },
      // `add` checks the entry together with the others, so that the error names all problems at once.
      bodyCheck: z.record(z.string(), z.unknown()),
      reply,
      run: async ({ parts, caller, sent }) => {
        requireReferenceRight(caller, sent as ResourceRow['spec']);
        requireDomainRight(kind, caller, sent as ResourceRow['spec']);
        const row = await storedResources(parts).add(kind, sent as ResourceRow['spec']);
        const after = resourceDocument(row);
        return { reply: after, change: { kind, id: row.name, after } };
      },
    }),
    ...changeEndpoints(kind, path, noun),
  ];
}

function changeEndpoints(kind: ResourceKind, path: string, noun: string): readonly Endpoint[] {
  return [
    writeEndpoint(`PUT ${path}/:id`, `replace${noun}`, 'operator', {
      versioned: versionedResource(kind),
      summary: `Replace an added ${kind}. Its name cannot change.${kind === 'upstream' ? ' Secrets that are left out stay unchanged.' : ''}`,
      body: { name: `New${noun}`, schema: resourceKinds[kind].schema },
      reply,
      run: async ({ parts, caller, id, sent }) => {
        requireReferenceRight(caller, sent as ResourceRow['spec']);
        const before = resourceDocument(await rowAt(parts, kind, id));
        requireDomainRight(kind, caller, sent as ResourceRow['spec'], before.spec);
        const row = await storedResources(parts).replace(kind, id, sent as ResourceRow['spec']);
        const after = resourceDocument(row);
        return { reply: after, change: { kind, id, before, after } };
      },
    }),
    writeEndpoint(`DELETE ${path}/:id`, `remove${noun}`, 'operator', {
      versioned: versionedResource(kind),
      summary: `Remove an added ${kind}. Entries of the configuration file, and entries that others need, cannot be removed.`,
      reply,
      run: async ({ parts, id }) => {
        await rowAt(parts, kind, id);
        const before = resourceDocument(await storedResources(parts).remove(kind, id));
        return { reply: before, change: { kind, id, before } };
      },
    }),
  ];
}

/** Throws if the entry names an environment variable and the caller is no owner: its secret goes to any address. */
export function requireReferenceRight({ role }: AdminCaller, spec: ResourceRow['spec']): void {
  if (role === 'owner' || namedVariables(spec).length === 0) return;
  throw new GatewayError('forbidden', { reason: reason('reference_needs_owner') });
}

/** Throws if a site gets a new domain and the caller is no owner: links with secrets, in e-mails to anyone, lead there. */
function requireDomainRight(
  kind: ResourceKind,
  { role }: AdminCaller,
  spec: ResourceRow['spec'],
  before: ResourceRow['spec'] = {},
): void {
  const known = domainsOf(before);
  if (kind !== 'site' || role === 'owner' || domainsOf(spec).every((domain) => known.includes(domain))) return;
  throw new GatewayError('forbidden', { reason: reason('domain_needs_owner') });
}

function domainsOf({ domains }: ResourceRow['spec']): readonly unknown[] {
  return Array.isArray(domains) ? domains : [];
}

/** `If-Match` for writes to a catalog entry. */
export function versionedResource(kind: ResourceKind): Versioned {
  return { kind, lock: catalogLock.lock, current: async (parts, id) => resourceDocument(await rowAt(parts, kind, id)) };
}

/** Throws unless an entry of this kind has this name. */
export async function rowAt(parts: AdminParts, kind: ResourceKind, name: string): Promise<ShownRow> {
  const row = (await storedResources(parts).list(kind)).find((each) => each.name === name);
  if (!row) throw missing(kind);
  return row;
}

const hidden: ReadonlySet<string> = new Set(secretFields);

export function resourceDocument({ kind, name, source, updatedAt, version, spec }: ShownRow): z.input<typeof schema> {
  const isSecret = ([field]: [string, unknown]) => kind === 'upstream' && hidden.has(field);
  const fields = Object.entries(spec);
  return {
    kind,
    name,
    source,
    updated_at: isoTime(updatedAt),
    version,
    spec: Object.fromEntries(fields.filter((entry) => !isSecret(entry))),
    secrets: fields.filter(isSecret).map(([field]) => field),
  };
}
