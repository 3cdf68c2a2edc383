import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function AccountsPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.accounts')} description={t('accounts.description')} />;
}
