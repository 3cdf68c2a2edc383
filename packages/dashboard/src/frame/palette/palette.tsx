import { Combobox, Modal, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useFocusReturn } from '../../components/dialog.tsx';
import { SearchIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useActions } from './actions.ts';
import { eachMax, useContents, usePagesNamed, useSubjects } from './contents.ts';
import type { PaletteMatch, Subject } from './match.ts';
import classes from './palette.module.css';
import { paletteTexts } from './texts.ts';

/** Debounce: names and ids are searched only after a pause in typing. */
const pauseMs = 150;

/** An action that waits for its object. */
interface Pending {
  readonly name: string;
  readonly subject: Subject;
}

/** One search field for all pages, actions, names and ids. An action may ask for its object first. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const p = usePageText(paletteTexts);
  const navigate = useNavigate();
  useFocusReturn(true);
  // The combobox handles Escape itself, so closing it must close the palette.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const [text, setText] = useState('');
  const [pending, setPending] = useState<Pending>();
  const query = text.trim();
  const { matches, isSearching, hasFailed } = useMatches(query, pending?.subject);
  const { selectFirstOption } = combobox;
  const count = matches.length;
  useEffect(() => {
    if (count > 0) selectFirstOption();
  }, [query, count, pending, selectFirstOption]);
  const open = (id: string) => {
    const match = matches.find((each) => each.id === id);
    if (!match) return;
    if ('kind' in match.opens) {
      setPending({ name: match.name, subject: match.opens });
      setText('');
      return;
    }
    onClose();
    void navigate({ to: match.opens.to, search: match.opens.search ?? {} });
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Backspace' && text === '') setPending(undefined);
  };
  const label = pending
    ? p(pending.subject.kind === 'account' ? 'chooseAccount' : 'chooseUpstream', { action: pending.name })
    : p('title');
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title={p('title')}
      classNames={{ header: classes['header'] ?? '' }}
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget>
          <TextInput
            aria-label={label}
            placeholder={pending ? label : p('placeholder')}
            leftSection={<SearchIcon />}
            variant="unstyled"
            size="lg"
            maxLength={200}
            data-autofocus
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </Combobox.EventsTarget>
        <div className={classes['list']}>
          <Combobox.Options aria-label={p('found')}>
            {matches.map((match) => (
              <MatchOption key={match.id} match={match} />
            ))}
            {count === 0 && <Combobox.Empty>{isSearching ? p('searching') : p('nothing')}</Combobox.Empty>}
          </Combobox.Options>
        </div>
        <div className={classes['foot']}>
          <Text span fz="xs" c={hasFailed ? 'red' : 'dimmed'}>
            {hasFailed ? p('failed') : p('hint')}
          </Text>
        </div>
        <VisuallyHidden role="status">{isSearching ? '' : p('count', { count })}</VisuallyHidden>
      </Combobox>
    </Modal>
  );
}

/** Everything that fits the query, as far as this user may see it, or only the objects of a pending action. */
function useMatches(query: string, subject: Subject | undefined) {
  const p = usePageText(paletteTexts);
  // Pages and actions follow each key at once, so that Enter opens the first of what was typed.
  const [paused] = useDebouncedValue(query, pauseMs);
  const pages = usePagesNamed(query, p);
  const actions = useActions(query, p);
  const contents = useContents(subject ? '' : paused, p);
  const subjects = useSubjects(subject, { query, paused }, p);
  if (subject) return subjects;
  const most = query === '' ? eachMax : eachMax * 2;
  const isTyping = paused !== query;
  return {
    hasFailed: contents.hasFailed,
    isSearching: isTyping || contents.isSearching,
    matches: [...pages.slice(0, most), ...actions.slice(0, most), ...(isTyping ? [] : contents.matches)],
  };
}

function MatchOption({ match }: { readonly match: PaletteMatch }) {
  const { id, icon: Icon, name, detail, kind } = match;
  return (
    <Combobox.Option value={id} className={classes['option'] ?? ''}>
      <span className={classes['icon']}>{Icon && <Icon />}</span>
      <Text span truncate>
        {name}
      </Text>
      {detail !== undefined && (
        <Text span fz="sm" c="dimmed" truncate>
          {detail}
        </Text>
      )}
      <Text span fz="xs" c="dimmed" className={classes['kind'] ?? ''}>
        {kind}
      </Text>
    </Combobox.Option>
  );
}
