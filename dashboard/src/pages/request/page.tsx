import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function RequestPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.request')} description={t('request.description')} />;
}
