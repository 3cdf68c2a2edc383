import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function SecurityPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.security')} />;
}
