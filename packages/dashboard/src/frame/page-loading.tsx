import { Skeleton, Stack } from '@mantine/core';
import { useText } from '../text/text.tsx';
import classes from './frame.module.css';

/** A skeleton while the file of a page loads. */
export function PageLoading() {
  const { t } = useText();
  return (
    <Stack gap="lg" role="status" aria-label={t('common.loading')}>
      <Skeleton height={32} width={220} />
      <Skeleton height={16} width="60%" maw={480} />
      <Skeleton height={240} radius="lg" mt="md" />
    </Stack>
  );
}

/** A skeleton of the whole frame, while the session loads. */
export function FrameLoading() {
  return (
    <div className={classes['frame']}>
      <div className={classes['side']} />
      <div className={classes['main']}>
        <div className={classes['page']}>
          <PageLoading />
        </div>
      </div>
    </div>
  );
}
