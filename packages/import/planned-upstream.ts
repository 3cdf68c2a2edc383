import { isIP } from 'node:net';
import type { FindingList } from './findings.ts';
import type { PlannedUpstream, UpstreamSecrets } from './plan.ts';
import { Secret } from './secret.ts';
import type { TargetGateway } from './target.ts';

export interface UpstreamDraft {
  readonly sourceId: string;
  readonly name: string;
  /** `undefined`: the importer does not know the provider. It becomes a disabled upstream of the kind `openai`. */
  readonly kind: string | undefined;
  /** The name of the provider in the source. */
  readonly provider: string;
  readonly fields: Readonly<Record<string, string | number | undefined>>;
  readonly secrets: UpstreamSecrets;
  /** Why a credential is missing, if the source has one. */
  readonly lacks?: 'credential_encrypted' | 'credential_unreadable' | 'credential_missing' | undefined;
  readonly isEnabled?: boolean;
}

/** Completes an upstream, so that the catalog takes it: what lacks a credential or an address is disabled. */
export function plannedUpstream(draft: UpstreamDraft, target: TargetGateway, findings: FindingList): PlannedUpstream {
  const { sourceId, name, provider, lacks } = draft;
  const subject = { kind: 'upstream', sourceId } as const;
  const kind = draft.kind ?? 'openai';
  if (draft.kind === undefined) findings.add('kind_unknown', subject, { type: provider });
  if (lacks !== undefined) findings.add(lacks, subject);
  const fields = Object.fromEntries(Object.entries(draft.fields).filter(([, value]) => value !== undefined));
  const address = fields['base_url'];
  if (draft.kind === undefined && address === undefined) fields['base_url'] = unknownAddress;
  if (typeof address === 'string' && isPrivate(address, target))
    findings.add('address_private', subject, { host: new URL(address).hostname });
  for (const reference of references(draft.secrets))
    findings.add('credential_in_environment', subject, { name: reference });
  const isEnabled = draft.kind !== undefined && lacks === undefined && draft.isEnabled !== false;
  const spec = { name, kind, ...fields, ...(!isEnabled && { enabled: false }) };
  const { headers, ...credentials } = draft.secrets;
  const secrets = { ...credentials, ...(headers && Object.keys(headers).length > 0 && { headers }) };
  return { sourceId, spec, secrets: withPlaceholders(spec, secrets, target) };
}

/** The kinds of providers by their names in a product. `same`: those that have the name of their kind. */
export function kindNames(same: string, others: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map([...same.split(' ').map((name) => [name, name] as const), ...Object.entries(others)]);
}

/** The address of a resource of Azure in our form. */
export function azureAddress(address: string): string {
  return `${address.replace(/\/+$/, '').replace(/\/openai(\/.*)?$/, '')}/openai/v1`;
}

/** The name of the resource, if it is part of the host. */
export function azureResource(address: string | undefined): string | undefined {
  return /^https:\/\/([a-z0-9-]+)\.openai\.azure\.com(?:\/|$)/i.exec(address ?? '')?.[1];
}

/** An address that no request can reach: RFC 2606 reserves the domain. */
const unknownAddress = 'https://unknown.invalid/v1';

/** The environment variable in which the provider's credential is usually given. */
export function usualVariable(kind: string, { kinds }: TargetGateway): string | undefined {
  return kinds.find(({ name }) => name === kind)?.environment?.[0];
}

/** Some providers need a credential: a reference that is not set yet takes its place. */
function withPlaceholders(
  spec: PlannedUpstream['spec'],
  secrets: UpstreamSecrets,
  target: TargetGateway,
): UpstreamSecrets {
  const set = new Set([...Object.keys(spec), ...Object.keys(secrets)]);
  const needs = target.kinds.find(({ name }) => name === spec.kind)?.own?.needs ?? [];
  const lacksKey = needs.some(
    ({ oneOf }) =>
      oneOf.some((group) => group.includes('api_key')) &&
      !oneOf.some((group) => group.every((field) => set.has(field))),
  );
  if (!lacksKey) return secrets;
  return { ...secrets, api_key: new Secret(`\${${usualVariable(spec.kind, target) ?? 'API_KEY'}}`) };
}

function references(secrets: UpstreamSecrets): readonly string[] {
  const all = Object.values(secrets).flatMap((value) => (value instanceof Secret ? [value] : Object.values(value)));
  return [...new Set(all.flatMap((secret) => /^\$\{([A-Za-z_]\w*)\}$/.exec(secret.reveal())?.[1] ?? []))];
}

/** Stored upstreams reach private addresses only if `egress.allow` permits it. */
function isPrivate(address: string, target: TargetGateway): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !target.isPublicAddress(host);
  return !host.includes('.') || /\.(local|internal|lan|svc)$/.test(host);
}
