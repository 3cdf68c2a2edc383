import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Key, MadeKey } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { MadeKeyNotice } from './made-key.tsx';

const graces = ['now', '1h', '24h', '168h'] as const;

type GraceChoice = (typeof graces)[number];

export interface RollKeyProps {
  readonly scope: KeyScope;
  /** Undefined while nothing is asked. */
  readonly keyToRoll: Key | undefined;
  readonly onClose: () => void;
}

/** Replaces a key by one on the same terms while the old one still works for a while. */
export function RotateKey({ scope, keyToRoll, onClose }: RollKeyProps) {
  const { t } = useText();
  const [grace, setGrace] = useState<GraceChoice>('24h');
  const write = useWrite<MadeKey, { readonly id: string; readonly grace: GraceChoice }>({
    path: ({ id }) => `${scope.path}/${id}/roll`,
    send: (wish) => ({ grace: wish.grace }),
    changes: [scope.path],
  });
  const close = () => {
    write.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={keyToRoll !== undefined}
      onClose={close}
      size={write.data ? 'xl' : 'md'}
      isHeld={write.data !== undefined || write.isPending}
      title={write.data ? t('keys.madeTitle') : t('keys.rollTitle', { name: keyToRoll?.name ?? '' })}
    >
      {write.data ? (
        <MadeKeyNotice made={write.data} onDone={close} />
      ) : (
        <Stack gap="md">
          <Text>{t('keys.rollText')}</Text>
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
            <Button loading={write.isPending} onClick={() => keyToRoll && write.mutate({ id: keyToRoll.id, grace })}>
              {t('keys.roll')}
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
