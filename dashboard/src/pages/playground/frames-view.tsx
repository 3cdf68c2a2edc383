import { Group, Text } from '@mantine/core';
import { CopyButton } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FileIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';
import type { Frame } from './stream-reader.ts';

/** More at once would slow the page down; copying includes all of them. */
const shownMax = 500;

/** The raw frames of the stream, with their times. */
export function FramesView({ frames }: { readonly frames: readonly Frame[] }) {
  const { t } = useText();
  const format = useFormat();
  if (frames.length === 0) {
    return (
      <EmptyState
        icon={<FileIcon size={24} />}
        title={t('playground.framesEmptyTitle')}
        text={t('playground.framesEmptyText')}
      />
    );
  }
  const earlier = Math.max(0, frames.length - shownMax);
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Text fz="sm" c="dimmed">
          {t('playground.framesCount', { count: frames.length })}
        </Text>
        <CopyButton label={t('playground.framesCopy')} text={frames.map(({ text }) => `${text}\n\n`).join('')} />
      </Group>
      <ol className={classes['frames']} start={earlier + 1} tabIndex={0} aria-label={t('playground.viewFrames')}>
        {earlier > 0 && <li className={classes['earlier']}>{t('playground.framesEarlier', { count: earlier })}</li>}
        {frames.slice(earlier).map(({ text, atMs }, index) => (
          <li key={earlier + index} className={classes['frame']}>
            <span className={classes['frameTime']}>{format.duration(atMs)}</span>
            <code>{text}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
