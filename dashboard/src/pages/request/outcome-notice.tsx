import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { caseName } from '../../components/case-name.ts';
import { WarningIcon } from '../../icons.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';
import { requestPath, type Scope } from '../requests/scope.ts';
import { remedyOf } from './remedy.ts';
import { outcomeOf, type Story } from './story.ts';
import { UnwantedStream } from './unwanted-stream.tsx';

const states: Readonly<Partial<Record<Story['state'], PlainKey>>> = {
  recovered: 'request.stateRecovered',
  charged: 'request.stateCharged',
  open: 'request.stateOpen',
};

/** What is unusual about a request and what to do about it; nothing of one that went as it should. */
export function OutcomeNotice({ story, scope }: { readonly story: Story; readonly scope: Scope }) {
  const { t } = useText();
  const state = states[story.state];
  return (
    <>
      {story.error_case !== null && (
        <Alert
          color="red"
          icon={<WarningIcon />}
          title={`${t(`request.${outcomeOf(story)}`)} · ${caseName(story.error_case, t)}`}
        >
          {story.error_detail !== null && (
            <Text fz="sm" mb={4}>
              <strong>{t('request.whatWasSaid')}: </strong>
              {story.error_detail}
            </Text>
          )}
          <Text fz="sm">
            <strong>{t('request.whatToDo')}: </strong>
            {t(remedyOf(story.error_case))}
          </Text>
          {story.ended_in_frame && (
            <Text fz="sm" mt={4}>
              {t('request.inFrame')}
            </Text>
          )}
        </Alert>
      )}
      {story.unwanted_stream && <UnwantedStream story={story} scope={scope} />}
      {state && <Alert color="blue">{t(state)}</Alert>}
      {story.client_gone && <Alert color="gray">{t('request.clientGoneText')}</Alert>}
      {story.replay_of !== null && (
        <Alert color="blue">
          {t('request.replay')}{' '}
          <Anchor component={Link} to={requestPath(scope, story.replay_of)} inherit>
            {t('request.replayLink')}
          </Anchor>
        </Alert>
      )}
    </>
  );
}
