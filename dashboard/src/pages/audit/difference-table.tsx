import { Text } from '@mantine/core';
import { useText } from '../../text/text.tsx';
import classes from './audit.module.css';
import { differences } from '../../components/difference.ts';

/** The changed fields. For a created or removed subject: all its fields. */
export function DifferenceTable({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const { t } = useText();
  const fields = differences(before, after);
  if (fields.length === 0) return <Text fz="sm">{t('audit.noDifference')}</Text>;
  const hasBefore = before !== null;
  const hasAfter = after !== null;
  return (
    <div className={classes['scroll']}>
      <table className={classes['difference']}>
        <thead>
          <tr>
            <th scope="col">{t('audit.field')}</th>
            {hasBefore && <th scope="col">{t(hasAfter ? 'audit.before' : 'audit.removedValues')}</th>}
            {hasAfter && <th scope="col">{t(hasBefore ? 'audit.after' : 'audit.createdValues')}</th>}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.path}>
              <th scope="row">{field.path}</th>
              {hasBefore && <td>{field.before === undefined ? '–' : <del>{field.before}</del>}</td>}
              {hasAfter && <td>{field.after === undefined ? '–' : <ins>{field.after}</ins>}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
