import { Anchor, Text } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { useText } from '../../text/text.tsx';
import { Part } from './part.tsx';

/** The support address for users of this gateway. */
export function Support() {
  const { t } = useText();
  const { support_email: email } = useSession();
  return (
    <Part title={t('system.support')}>
      {email ? (
        <>
          <Anchor href={`mailto:${email}`}>{email}</Anchor>
          <Text fz="sm" c="dimmed">
            {t('system.supportText')}
          </Text>
        </>
      ) : (
        <Text c="dimmed">{t('system.noSupport')}</Text>
      )}
    </Part>
  );
}
