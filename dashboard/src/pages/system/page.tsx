import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function SystemPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.system')} description={t('system.description')} />;
}
