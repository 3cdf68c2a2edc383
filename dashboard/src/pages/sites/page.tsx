import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function SitesPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.sites')} description={t('sites.description')} />;
}
