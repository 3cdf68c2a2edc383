import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function SignUpPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.signUp')} />;
}
