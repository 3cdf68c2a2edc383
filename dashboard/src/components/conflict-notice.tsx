import { Alert, Button, Group, Text } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import type { Page } from '../api/page.ts';
import { useRead } from '../api/queries.ts';
import type { AuditLine } from '../api/wire.ts';
import { WarningIcon } from '../icons.tsx';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import classes from './conflict-notice.module.css';
import { differences } from './difference.ts';
import { ErrorNotice } from './error-notice.tsx';

export interface ConflictNoticeProps<Current> {
  readonly error: ApiError | null;
  /** Where the thing is read anew. */
  readonly path: string;
  /** As the audit log names it. */
  readonly subject: { readonly kind: string; readonly id: string };
  /** What was to be written, and what of the thing as it is now that compares with. */
  readonly mine: unknown;
  readonly theirs: (current: Current) => unknown;
  readonly onKeepMine: (current: Current) => void;
  readonly onTakeTheirs: (current: Current) => void;
}

/** Says that somebody else has changed what is being edited, who and what, and lets one choose; other errors as ever. */
export function ConflictNotice<Current>(props: ConflictNoticeProps<Current>) {
  if (props.error?.code !== 'conflict') return <ErrorNotice error={props.error} />;
  return <Conflict {...props} />;
}

function Conflict<Current>({ path, subject, mine, theirs, ...props }: ConflictNoticeProps<Current>) {
  const { t } = useText();
  const format = useFormat();
  const { data: current, error } = useRead<Current>(path, {}, { staleTime: 0 });
  const query = { subject_kind: subject.kind, subject_id: subject.id, limit: 1 };
  const last = useRead<Page<AuditLine>>('/admin/v1/audit', query, { staleTime: 0 }).data?.data[0];
  if (error) return <ErrorNotice error={error} />;
  return (
    <Alert color="yellow" icon={<WarningIcon />} role="alert" title={t('common.conflictTitle')}>
      <Text fz="sm" mb="sm">
        {last
          ? t('common.conflictBy', { who: last.actor, time: format.relative(last.at) })
          : t('common.conflictByNobody')}
      </Text>
      {current && <Difference mine={mine} theirs={theirs(current)} />}
      <Group gap="xs" mt="sm">
        <Button size="xs" disabled={!current} onClick={() => current && props.onKeepMine(current)}>
          {t('common.keepMine')}
        </Button>
        <Button size="xs" variant="default" disabled={!current} onClick={() => current && props.onTakeTheirs(current)}>
          {t('common.takeTheirs')}
        </Button>
      </Group>
    </Alert>
  );
}

function Difference({ mine, theirs }: { readonly mine: unknown; readonly theirs: unknown }) {
  const { t } = useText();
  const fields = differences(mine, theirs);
  if (fields.length === 0) return <Text fz="sm">{t('common.conflictSame')}</Text>;
  return (
    <div className={classes['scroll']}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{t('common.field')}</th>
            <th scope="col">{t('common.yours')}</th>
            <th scope="col">{t('common.now')}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              <td>{before ?? '–'}</td>
              <td>{after ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
