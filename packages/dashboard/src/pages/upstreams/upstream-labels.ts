import type { FieldLabels } from '../../text/error-text.ts';
import type { FixedTextKey, Translate } from '../../text/text.tsx';
import { timeoutNames } from './upstream-values.ts';

/** The labels of the form fields of an upstream. */
export function upstreamLabels(t: Translate): FieldLabels {
  const timeout = (name: string) =>
    t('common.fieldInside', { group: t('upstreams.timeouts'), field: settingName(name, t) });
  return {
    ...Object.fromEntries(settingNames.map((name) => [name, settingName(name, t)])),
    name: t('common.name'),
    kind: t('upstreams.kind'),
    base_url: t('upstreams.baseUrl'),
    max_concurrency: t('upstreams.maxConcurrency'),
    ...Object.fromEntries(timeoutNames.map((name) => [`timeouts.${name}`, timeout(name)])),
    // For the error that the name is already taken.
    upstreams: t('nav.upstreams'),
  };
}

/** The name of a setting. Returns the configuration name if this dashboard has no text for it. */
export function settingName(field: string, t: Translate): string {
  const words = settingWords[field];
  return words ? t(words) : field;
}

const settingWords: Readonly<Record<string, FixedTextKey>> = {
  region: 'upstreams.fieldRegion',
  project: 'upstreams.fieldProject',
  location: 'upstreams.fieldLocation',
  resource_name: 'upstreams.fieldResourceName',
  api_version: 'upstreams.fieldApiVersion',
  access_key_id: 'upstreams.fieldAccessKeyId',
  secret_access_key: 'upstreams.fieldSecretAccessKey',
  session_token: 'upstreams.fieldSessionToken',
  service_account: 'upstreams.fieldServiceAccount',
  api_key: 'upstreams.keys',
  api_keys: 'upstreams.keys',
  headers: 'upstreams.fieldHeaders',
  proxy: 'upstreams.fieldProxy',
  ca_file: 'upstreams.fieldCaFile',
  pass_trace: 'upstreams.fieldPassTrace',
  quirks: 'upstreams.fieldQuirks',
  timeouts: 'upstreams.timeouts',
  connect: 'upstreams.timeoutConnect',
  first_event: 'upstreams.timeoutFirstEvent',
  idle: 'upstreams.timeoutIdle',
  total: 'upstreams.timeoutTotal',
};

/** The settings that have a text. */
const settingNames: readonly string[] = Object.keys(settingWords);
