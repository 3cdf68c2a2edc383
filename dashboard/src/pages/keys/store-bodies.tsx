import { Alert, Switch } from '@mantine/core';
import { useStoredBodies } from '../../api/stored-bodies.ts';
import { keptFor, sizeText } from '../../components/body-terms.ts';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyTermsProps } from './key-terms.tsx';

/** Has what a key's requests say stored, and says plainly what that means. Nothing where nobody may. */
export function StoreBodies({ form, scope }: Pick<KeyTermsProps, 'form' | 'scope'>) {
  const { t } = useText();
  const { data: terms } = useStoredBodies(scope.accountId !== undefined);
  const { isStored } = form.values;
  if (!terms || !(terms.allowed || isStored)) return null;
  const bounds = { time: keptFor(terms, t), size: sizeText(terms.max_bytes ?? 0) };
  return (
    <>
      <Switch
        {...form.getInputProps('isStored', { type: 'checkbox' })}
        label={t('bodies.switch')}
        description={terms.allowed ? t('bodies.switchHelp', bounds) : t('bodies.notAllowed')}
      />
      {isStored && terms.allowed && (
        <Alert color="yellow" icon={<WarningIcon />} role="status">
          {t('bodies.switchNotice')}
        </Alert>
      )}
    </>
  );
}
