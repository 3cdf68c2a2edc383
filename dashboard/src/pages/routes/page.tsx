import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function RoutesPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.routes')} description={t('routes.description')} />;
}
