import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function MembersPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.members')} />;
}
