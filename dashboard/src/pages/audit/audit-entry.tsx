import { Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { AuditLine } from '../../api/wire.ts';
import { deviceName } from '../../components/names.ts';
import { When } from '../../components/when.tsx';
import { ChevronIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './audit.module.css';
import { DifferenceTable } from './difference-table.tsx';
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
