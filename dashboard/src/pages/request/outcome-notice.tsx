import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { caseName } from '../../components/names.ts';
import { WarningIcon } from '../../icons.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { requestPath, type Scope } from '../requests/scope.ts';
import { remedyOf } from './remedy.ts';
import { type Detail, outcomeOf } from './detail.ts';
import { UnwantedStream } from './unwanted-stream.tsx';

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
          <Anchor component={Link} to={requestPath(scope, detail.replay_of)} inherit>
            {t('request.replayLink')}
          </Anchor>
        </Alert>
      )}
    </>
  );
}
