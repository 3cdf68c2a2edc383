import { Alert, Button, Text } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from '../keys/honour-stream-false.ts';
import type { Scope } from '../requests/scope.ts';
import type { Detail } from './detail.ts';

/** The client sent `stream: false` but got a stream. Members can change the setting of the key here. */
export function UnwantedStream({ detail, scope }: { readonly detail: Detail; readonly scope: Scope }) {
  const { t } = useText();
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={t('request.forcedStreamTitle')}>
      <Text fz="sm">{t('request.forcedStreamText')}</Text>
      {!scope.isOperator && detail.key_id !== null && (
        <Remedy id={detail.key_id} name={detail.key_name ?? detail.key_id} />
      )}
    </Alert>
  );
}

function Remedy(key: { readonly id: string; readonly name: string }) {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const { mutate, isPending, isSuccess } = useHonourStreamFalse();
  if (!mayWrite) return null;
  if (isSuccess) {
    return (
      <Text fz="sm" mt={8} fw={520} role="status">
        {t('request.nowNonStreaming')}
      </Text>
    );
  }
  return (
    <>
      <Button
        mt={8}
        size="compact-sm"
        variant="default"
        loading={isPending}
        onClick={() => mutate({ ...key, isHonoured: true })}
      >
        {t('request.returnNonStreaming')}
      </Button>
    </>
  );
}
