import { Alert, Radio, Text } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import type { Side } from '../api/merge.ts';
import type { EditConflict } from '../api/replacing.ts';
import { useSession } from '../api/session.ts';
import { WarningIcon } from '../icons.tsx';
import { conflictTexts, isOwnChange, keptSentence, valueTextOf } from '../text/conflict-words.ts';
import { type FieldLabels, labelOf } from '../text/error-text.ts';
import { useFormat } from '../text/format.ts';
import { usePageText } from '../text/page-text.ts';
import { useText } from '../text/text.tsx';
import classes from './conflict-choice.module.css';

/** The part of `useReplacing` that a conflict needs. */
export interface Edit {
  readonly isPending: boolean;
  readonly error: ApiError | null;
  readonly conflict: EditConflict | undefined;
  readonly labels: FieldLabels;
  readonly valueText?: ((path: string, value: unknown) => string | undefined) | undefined;
}

interface ConflictChoiceProps {
  readonly edit: Edit;
  readonly conflict: EditConflict;
}

/** The fields that both sides changed, with both values to choose from. The form's own button saves the choice. */
export default function ConflictChoice({ edit, conflict }: ConflictChoiceProps) {
  const t = usePageText(conflictTexts);
  const { language } = useText();
  const { email } = useSession().user;
  const { labels, valueText } = edit;
  const kept = keptSentence(conflict.taken, { language, labels, valueText, newer: conflict, email });
  const choice = (path: string, side: Side, value: unknown) => (
    <Radio
      size="xs"
      name={`conflict-${path}`}
      label={valueTextOf({ path, value }, { language, valueText })}
      checked={(conflict.choices[path] ?? 'mine') === side}
      onChange={() => conflict.choose(path, side)}
    />
  );
  return (
    <Alert
      color="yellow"
      icon={<WarningIcon />}
      role="alert"
      title={t(conflict.actors.length === 0 ? 'titleUnknown' : isOwnChange(conflict, email) ? 'titleOwn' : 'title')}
    >
      <ConflictText conflict={conflict} />
      <div className={classes['scroll']}>
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('field')}</th>
              <th scope="col">{t('yours')}</th>
              <th scope="col">{t('theirs')}</th>
            </tr>
          </thead>
          <tbody>
            {conflict.conflicts.map(({ path, mine, theirs }) => (
              <tr key={path}>
                <th scope="row">{labelOf(path, labels) ?? path}</th>
                <td>{choice(path, 'mine', mine)}</td>
                <td>{choice(path, 'theirs', theirs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {kept !== undefined && (
        <Text fz="sm" mt="xs">
          {kept}
        </Text>
      )}
    </Alert>
  );
}

function ConflictText({ conflict }: { readonly conflict: EditConflict }) {
  const t = usePageText(conflictTexts);
  const format = useFormat();
  const { email } = useSession().user;
  const { actors, at } = conflict;
  const time = at === undefined ? '' : format.relative(at);
  const text = () => {
    if (actors.length === 0 || at === undefined) return t('textUnknown');
    return isOwnChange(conflict, email) ? t('textOwn', { time }) : t('text', { who: actors.join(', '), time });
  };
  return (
    <Text fz="sm" mb="sm">
      {text()}
    </Text>
  );
}
