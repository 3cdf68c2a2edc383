import type { FieldLabels } from '../../text/error-text.ts';
import type { Translate } from '../../text/text.tsx';
import { settingName, settingNames } from './setting-words.ts';
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
