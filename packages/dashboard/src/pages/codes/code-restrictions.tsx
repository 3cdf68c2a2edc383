import type { CodeBatch } from '../../api/wire.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';

/** The restrictions of the codes: site, package and expiry. */
export function CodeRestrictions({ batch }: { readonly batch: Pick<CodeBatch, 'site' | 'package' | 'expires_at'> }) {
  const { t } = useText();
  const format = useFormat();
  const words = [
    batch.expires_at && t('codes.until', { time: format.date(batch.expires_at) }),
    batch.site && t('codes.onSite', { name: batch.site }),
    batch.package && t('codes.ofPackage', { name: batch.package }),
  ].filter(Boolean);
  return <>{words.length === 0 ? t('codes.unrestricted') : words.join(' · ')}</>;
}
