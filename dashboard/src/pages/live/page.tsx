import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function LivePage() {
  const { t } = useText();
  return <PageHeader title={t('nav.live')} description={t('live.description')} />;
}
