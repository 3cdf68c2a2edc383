import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function OverviewPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.overview')} description={t('overview.description')} />;
}
