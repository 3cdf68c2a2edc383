import { useSession } from '../../api/session.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { AddUpstream } from './add-upstream.tsx';
import { AddButton, UpstreamList } from './upstream-list.tsx';

/** The upstreams. With `?add=` in the URL: the form for a new one. */
export default function UpstreamsPage() {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only';
  const [{ add }] = useFilters(['add']);
  if (add !== undefined && mayWrite) return <AddUpstream presetKey={add} />;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.upstreams')}
        description={t('upstreams.description')}
        actions={mayWrite && <AddButton />}
      />
      <UpstreamList mayWrite={mayWrite} />
    </>
  );
}
