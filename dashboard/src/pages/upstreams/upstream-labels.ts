import type { FieldLabels } from '../../text/field-labels.ts';
import type { Translate } from '../../text/text.tsx';
import { settingNames, settingName } from './setting-words.ts';
import { timeoutNames } from './upstream-values.ts';

/** What the form of an upstream calls its fields. */
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
    // What names have to differ among.
    upstreams: t('nav.upstreams'),
  };
}
