import { Alert, Button, Group, Text } from '@mantine/core';
import { useAccountChoice } from '../api/account.tsx';
import type { ApiError } from '../api/api-error.ts';
import type { VersionedDocument } from '../api/replacing.ts';
import { type Page, useRead } from '../api/queries.ts';
import type { AuditLine } from '../api/wire.ts';
import { WarningIcon } from '../icons.tsx';
import { type FieldLabels, labelOf } from '../text/error-text.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import classes from './conflict-notice.module.css';
import { differences } from './difference.ts';
import { ErrorNotice } from './error-notice.tsx';

export interface ConflictNoticeProps<Current extends VersionedDocument> {
  readonly edit: Edit<Current>;
  /** As in the audit log. */
  readonly subject: { readonly kind: string; readonly id: string };
  /** Comparable with `theirs`. Default: the body of the rejected write. */
  readonly mine?: unknown;
  /** The comparable part of the current document. */
  readonly theirs: (current: Current) => unknown;
  /** The labels of the form fields. Other fields appear under their API names. */
  readonly labels: FieldLabels;
  /** Fills the form from the current document. */
  readonly onTakeTheirs?: (current: Current) => void;
}

/** The part of `useReplacing` that a conflict needs. */
interface Edit<Current> {
  readonly path: string;
  readonly isPending: boolean;
  readonly error: ApiError | null;
  readonly mine: unknown;
  readonly saveOver: (current: VersionedDocument) => void;
  readonly adopt: (current: Current) => void;
}

/**
 * On a version conflict, shows who changed the document and which fields, and lets the user choose. Shows other errors
 * normally.
 */
export function ConflictNotice<Current extends VersionedDocument>(props: ConflictNoticeProps<Current>) {
  const { error } = props.edit;
  if (error?.code !== 'conflict') return <ErrorNotice error={error} labels={props.labels} />;
  return <Conflict {...props} />;
}

function Conflict<Current extends VersionedDocument>(props: ConflictNoticeProps<Current>) {
  const { edit, subject, mine = edit.mine, theirs, labels } = props;
  const { t } = useText();
  const format = useFormat();
  const { data: current, error } = useRead<Current>(edit.path, {}, { staleTime: 0 });
  const last = useLastChange(edit.path, subject);
  if (error) return <ErrorNotice error={error} />;
  const take = (document: Current) => {
    edit.adopt(document);
    props.onTakeTheirs?.(document);
  };
  return (
    <Alert color="yellow" icon={<WarningIcon />} role="alert" title={t('common.conflictTitle')}>
      <Text fz="sm" mb="sm">
        {last
          ? t('common.conflictBy', { who: last.actor, time: format.relative(last.at) })
          : t('common.conflictByUnknown')}
      </Text>
      {current && <Difference mine={mine} theirs={theirs(current)} labels={labels} />}
      <Group gap="xs" mt="sm">
        <Button size="xs" disabled={!current} onClick={() => current && edit.saveOver(current)}>
          {t('common.keepMine')}
        </Button>
        <Button size="xs" variant="default" disabled={!current} onClick={() => current && take(current)}>
          {t('common.useTheirs')}
        </Button>
      </Group>
    </Alert>
  );
}

/** The last change in the audit log, if the user may read it: owners for their account, operators for all. */
function useLastChange(path: string, { kind, id }: { readonly kind: string; readonly id: string }) {
  const { account } = useAccountChoice();
  const isOwn = path.startsWith('/account/');
  const query = { subject_kind: kind, subject_id: id, limit: 1 };
  const log = isOwn ? '/account/v1/audit' : '/admin/v1/audit';
  const options = { staleTime: 0, enabled: !isOwn || account?.role === 'owner' };
  return useRead<Page<AuditLine>>(log, query, options).data?.data[0];
}

interface DifferenceProps {
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly labels: FieldLabels;
}

function Difference({ mine, theirs, labels }: DifferenceProps) {
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
              <th scope="row">{labelOf(path, labels) ?? path}</th>
              <td>{before ?? '–'}</td>
              <td>{after ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
