import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function UpstreamsPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.upstreams')} description={t('upstreams.description')} />;
}
