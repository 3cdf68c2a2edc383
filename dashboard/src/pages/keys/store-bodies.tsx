import { Alert, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { keptFor, sizeText, useStoredBodies } from '../../components/body-terms.ts';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import type { KeyFormValues } from './key-wish.ts';

export interface StoreBodiesProps {
  readonly form: UseFormReturnType<KeyFormValues>;
  readonly scope: KeyScope;
}

/**
 * Turns on storing the bodies of a key's requests, and explains the consequences. Renders nothing if storing is not
 * allowed.
 */
export function StoreBodies({ form, scope }: StoreBodiesProps) {
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
