import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function PackagesPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.packages')} description={t('packages.description')} />;
}
