import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';

export default function PlaygroundPage() {
  const { t } = useText();
  return <PageHeader title={t('nav.playground')} description={t('playground.description')} />;
}
