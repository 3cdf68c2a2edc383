import type { FieldLabels } from '../../text/error-text.ts';
import type { Translate } from '../../text/text.tsx';

/** The labels of the form fields of a key. */
export function keyLabels(t: Translate): FieldLabels {
  return {
    name: t('common.name'),
    models: t('keys.models'),
    expires_at: t('keys.expires'),
    spend_cap: t('keys.cap'),
    cap_period: t('keys.capPeriod'),
    max_concurrency: t('keys.concurrency'),
    addresses: t('keys.addresses'),
    honour_stream_false: t('keys.nonStreamingSwitch'),
    store_bodies: t('bodies.switch'),
  };
}
