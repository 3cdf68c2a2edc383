import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function AuditPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.audit')} description={t('audit.description')} />;
}
