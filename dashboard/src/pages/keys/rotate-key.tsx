import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { CreatedKey, Key } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { MadeKeyNotice } from './create-key.tsx';
import type { KeyScope } from './key-scope.ts';

const graces = ['now', '1h', '24h', '168h'] as const;

type GraceChoice = (typeof graces)[number];

export interface RotateKeyProps {
  readonly scope: KeyScope;
  /** Undefined while the dialog is closed. */
  readonly keyToRotate: Key | undefined;
  readonly onClose: () => void;
}

/** Rotates a key: the new key has the same terms, and the old one works for a grace period. */
export function RotateKey({ scope, keyToRotate, onClose }: RotateKeyProps) {
  const { t } = useText();
  const [grace, setGrace] = useState<GraceChoice>('24h');
  const write = useWrite<CreatedKey, { readonly id: string; readonly grace: GraceChoice }>({
    path: ({ id }) => `${scope.path}/${id}/rotate`,
    send: (choice) => ({ grace: choice.grace }),
    changes: [scope.path],
  });
  const close = () => {
    write.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={keyToRotate !== undefined}
      onClose={close}
      size={write.data ? 'xl' : 'md'}
      isHeld={write.data !== undefined || write.isPending}
      title={write.data ? t('keys.createdTitle') : t('keys.rotateTitle', { name: keyToRotate?.name ?? '' })}
    >
      {write.data ? (
        <MadeKeyNotice made={write.data} onDone={close} />
      ) : (
        <Stack gap="md">
          <Text>{t('keys.rotateText')}</Text>
          <Radio.Group label={t('keys.grace')} value={grace} onChange={(value) => setGrace(asGrace(value))}>
            <Stack gap="xs" mt="xs">
              {graces.map((value) => (
                <Radio key={value} value={value} label={t(`keys.grace_${value}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <ErrorNotice error={write.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button
              loading={write.isPending}
              onClick={() => keyToRotate && write.mutate({ id: keyToRotate.id, grace })}
            >
              {t('keys.rotate')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function asGrace(value: string): GraceChoice {
  return graces.find((one) => one === value) ?? '24h';
}
