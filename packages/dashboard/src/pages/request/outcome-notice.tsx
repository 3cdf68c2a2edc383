import { Alert, Button, Text } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import { caseName } from '../../components/names.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { WarningIcon } from '../../icons.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from '../keys/honour-stream-false.ts';
import { requestPath, type Scope } from '../requests/scope.ts';
import { remedyOf } from './remedy.ts';
import { type Detail, outcomeOf } from './detail.ts';

const states: Readonly<Partial<Record<Detail['state'], FixedTextKey>>> = {
  recovered: 'request.stateRecovered',
  charged: 'request.stateCharged',
  open: 'request.stateOpen',
};

/** Explains an unusual request and suggests what to do. Renders nothing for a normal one. */
export function OutcomeNotice({ detail, scope }: { readonly detail: Detail; readonly scope: Scope }) {
  const { t } = useText();
  const state = states[detail.state];
  return (
    <>
      {detail.error_case !== null && (
        <Alert
          color="red"
          icon={<WarningIcon />}
          title={`${t(`request.${outcomeOf(detail)}`)} · ${caseName(detail.error_case, t)}`}
        >
          {detail.error_detail !== null && (
            <Text fz="sm" mb={4}>
              <strong>{t('request.clientError')}: </strong>
              {detail.error_detail}
            </Text>
          )}
          <Text fz="sm">
            <strong>{t('request.remedy')}: </strong>
            {t(remedyOf(detail.error_case))}
          </Text>
          {detail.ended_in_frame && (
            <Text fz="sm" mt={4}>
              {t('request.inFrame')}
            </Text>
          )}
        </Alert>
      )}
      {detail.unwanted_stream && <UnwantedStream detail={detail} scope={scope} />}
      {state && <Alert color="blue">{t(state)}</Alert>}
      {detail.client_gone && <Alert color="gray">{t('request.clientDisconnectedText')}</Alert>}
      {detail.replay_of !== null && (
        <Alert color="blue">
          {t('request.replay')}{' '}
          <ViewAnchor to={requestPath(scope, detail.replay_of)} inherit>
            {t('request.replayLink')}
          </ViewAnchor>
        </Alert>
      )}
    </>
  );
}

/** The client sent `stream: false` but got a stream. Members can change the setting of the key here. */
function UnwantedStream({ detail, scope }: { readonly detail: Detail; readonly scope: Scope }) {
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
