import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function KeysPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.keys')} description={t('keys.description')} />;
}
