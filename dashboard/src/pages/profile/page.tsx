import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function ProfilePage() {
  const { t } = useText();
  return <PageHeader title={t('nav.profile')} description={t('settings.profileText')} />;
}
