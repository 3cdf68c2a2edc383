import type { UpstreamSpec } from '../../api/resource.ts';
import type { Preset } from '../../api/wire.ts';

/** The form values of an upstream. */
export interface UpstreamValues {
  readonly name: string;
  readonly baseUrl: string;
  /** One credential per line. */
  readonly keys: string;
  /** Whether the native credential of the cloud is used instead of keys. */
  readonly credential: 'key' | 'own';
  /** Fields of this kind only, by their configuration names. */
  readonly own: Readonly<Record<string, string>>;
  readonly maxConcurrency: number | string;
  readonly timeouts: Readonly<Record<TimeoutName, string>>;
}

export const timeoutNames = ['connect', 'first_event', 'idle', 'total'] as const;
export type TimeoutName = (typeof timeoutNames)[number];

const ownSecrets = ['access_key_id', 'secret_access_key', 'session_token', 'service_account'];

export const defaultConcurrency = 64;

/** The fields of a kind, in order. */
export interface KindFields {
  /** `first`: the kind has no default base URL. */
  readonly baseUrl: 'first' | 'advanced' | 'never';
  readonly fields: readonly string[];
  /** The native credential of the cloud, which can replace a key. */
  readonly secrets: readonly string[];
  readonly takesKey: boolean;
}

export function kindFieldsOf(preset: Preset): KindFields {
  const isLocal = preset.environment.length === 0;
  const isOwnCloud = preset.fields.length > 0;
  return {
    baseUrl:
      preset.base_url === '' && isLocal
        ? 'never'
        : preset.base_url === '' || (isLocal && !isOwnCloud)
          ? 'first'
          : 'advanced',
    fields: preset.fields.filter((field) => !ownSecrets.includes(field)),
    secrets: preset.fields.filter((field) => ownSecrets.includes(field)),
    takesKey: !isLocal,
  };
}

/** Fields without which the provider is unreachable. */
export function isNeeded(field: string, { credential }: Pick<UpstreamValues, 'credential'>): boolean {
  if (field === 'project') return credential === 'own';
  return ['region', 'resource_name', 'access_key_id', 'secret_access_key', 'service_account'].includes(field);
}

export function newValues(preset: Preset, existingNames: readonly string[]): UpstreamValues {
  const isLocal = preset.environment.length === 0;
  return {
    name: freeName(preset.name, existingNames),
    baseUrl: isLocal && preset.fields.length === 0 ? preset.base_url : '',
    keys: '',
    credential: 'key',
    own: Object.fromEntries(preset.fields.map((field) => [field, ''])),
    maxConcurrency: defaultConcurrency,
    timeouts: { connect: '', first_event: '', idle: '', total: '' },
  };
}

/** The form values of an existing upstream. Secrets are not shown; they stay unless new ones are typed. */
export function valuesOf(spec: UpstreamSpec, secrets: readonly string[], fields: readonly string[]): UpstreamValues {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const { connect, first_event, idle, total } = spec.timeouts ?? {};
  return {
    name: spec.name,
    baseUrl: text(spec.base_url),
    keys: '',
    credential: secrets.some((field) => ownSecrets.includes(field)) ? 'own' : 'key',
    own: Object.fromEntries(fields.map((field) => [field, text(spec[field])])),
    maxConcurrency: spec.max_concurrency ?? defaultConcurrency,
    timeouts: { connect: text(connect), first_event: text(first_event), idle: text(idle), total: text(total) },
  };
}

/** The spec to send. Fields that the form does not have keep their values; empty fields are left out. */
export function specOf(kind: string, values: UpstreamValues, before?: UpstreamSpec): Readonly<Record<string, unknown>> {
  const { name, baseUrl, keys, credential, own, maxConcurrency, timeouts } = values;
  const ownFields = Object.entries(own).filter(([field]) => credential === 'own' || !ownSecrets.includes(field));
  return withoutEmpty({
    ...before,
    name,
    kind,
    base_url: baseUrl.trim(),
    ...(credential === 'key' && credentialFields(linesOf(keys))),
    ...Object.fromEntries(ownFields.map(([field, value]) => [field, value.trim()])),
    max_concurrency:
      maxConcurrency === defaultConcurrency && before?.max_concurrency === undefined ? '' : maxConcurrency,
    timeouts: withoutEmpty(timeouts),
  });
}

/** The gateway keeps secrets only for the base URL they were given for. A new base URL needs them again. */
export function losesSecrets(values: UpstreamValues, before: UpstreamSpec, secrets: readonly string[]): boolean {
  return secrets.length > 0 && values.baseUrl.trim() !== (before.base_url ?? '');
}

export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function credentialFields(keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (keys.length === 0) return {};
  return keys.length === 1 ? { api_key: keys[0] } : { api_keys: keys };
}

function withoutEmpty(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function freeName(base: string, existingNames: readonly string[]): string {
  let name = base;
  for (let number = 2; existingNames.includes(name); number += 1) name = `${base}-${number}`;
  return name;
}
