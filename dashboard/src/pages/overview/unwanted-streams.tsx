import { Alert, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../../api/account.tsx';
import type { OwnOverview } from '../../api/wire.ts';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from '../keys/honour-stream-false.ts';
import classes from './overview.module.css';

/**
 * Lists keys whose clients send `stream: false` but get streams, with a button to change that. Renders nothing if there
 * are none.
 */
export function UnwantedStreams({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const { mutate, isPending, variables } = useHonourStreamFalse();
  const keys = overview?.keys_with_unwanted_streams.filter((key) => !key.honour_stream_false) ?? [];
  if (keys.length === 0) return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={t('overview.forcedStreamTitle')} role="status">
      <Text fz="sm">{t('overview.forcedStreamText')}</Text>
      <ul className={classes['unwanted']}>
        {keys.map(({ id, name, ...key }) => (
          <li key={id}>
            <Link to="/app/requests" search={{ key: id }} className={classes['unwantedName']}>
              {name ?? id}
            </Link>
            <span className={classes['unwantedCount']}>
              {t('overview.forcedStreamCount', { count: key.unwanted_streams, of: key.requests })}
            </span>
            {mayWrite && name !== null && (
              <Button
                size="compact-sm"
                variant="default"
                loading={isPending && variables.id === id}
                onClick={() => mutate({ id, name, isHonoured: true })}
                aria-label={t('overview.returnNonStreamingKey', { name })}
              >
                {t('overview.returnNonStreaming')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
