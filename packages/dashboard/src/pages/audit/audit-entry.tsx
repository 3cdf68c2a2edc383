import { Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { AuditLine } from '../../api/wire.ts';
import { differences } from '../../components/difference.ts';
import { deviceName } from '../../components/names.ts';
import { When } from '../../components/when.tsx';
import { ChevronIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './audit.module.css';
import { actionWords } from './words.ts';

/** One audit log entry as a sentence: actor, action, subject and time. */
export function AuditEntry({ line }: { readonly line: AuditLine }) {
  const { t } = useText();
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const actor = line.actor === 'cli' ? t('audit.byCommand') : (line.actor_name ?? line.actor);
  const subject = line.subject_name ?? line.subject_id;
  const device = deviceName(line.device) ?? line.device;
  return (
    <li className={classes['entry']}>
      <UnstyledButton className={classes['head']} aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        <span className={classes['chevron']} data-open={isOpen}>
          <ChevronIcon size={16} />
        </span>
        <span className={classes['sentence']}>
          <b>{actor}</b> {actionWords(line.action, t)}
          {subject !== actor && (
            <>
              {' '}
              <span className={classes['subject']}>{subject}</span>
            </>
          )}
        </span>
        <Text span fz="sm" c="dimmed" className={classes['when']}>
          <When at={line.at} />
        </Text>
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={classes['body']}>
          {(line.before !== null || line.after !== null) && <DifferenceTable before={line.before} after={line.after} />}
          <Text fz="xs" c="dimmed" mt="sm">
            <When at={line.at} as="date-time" /> · {line.role} · {line.action} · {line.subject_kind} {line.subject_id}
            {line.address && ` · ${t('audit.from', { address: line.address })}`}
            {device && ` · ${device}`}
            {line.request_id && ` · ${t('audit.request', { id: line.request_id })}`}
          </Text>
        </div>
      )}
    </li>
  );
}

/** The changed fields. For a created or removed subject: all its fields. */
function DifferenceTable({ before, after }: { readonly before: unknown; readonly after: unknown }) {
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
