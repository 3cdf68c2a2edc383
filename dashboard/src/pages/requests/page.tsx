import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function RequestsPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.requests')} description={t('requests.description')} />;
}
