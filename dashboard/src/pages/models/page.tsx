import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function ModelsPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.models')} description={t('models.description')} />;
}
