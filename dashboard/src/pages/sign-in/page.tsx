import { Title } from '@mantine/core';
import { useText } from '../../text/text.tsx';

export default function SignInPage() {
  const { t } = useText();
  return <Title order={1}>{t('signIn.title')}</Title>;
}
