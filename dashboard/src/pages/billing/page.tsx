import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function BillingPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.billing')} description={t('billing.description')} />;
}
