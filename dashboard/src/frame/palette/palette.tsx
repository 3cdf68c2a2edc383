import { Combobox, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useFocusReturn } from '../../components/focus-return.ts';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { type PaletteMatch, usePaletteMatches } from './findings.ts';
import classes from './palette.module.css';

/** Debounce: search only after a pause in typing. */
const pauseMs = 150;

/** One search field for all pages and their contents. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const navigate = useNavigate();
  useFocusReturn(true);
  // The combobox handles Escape itself, so closing it must close the palette.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text, pauseMs);
  const matches = usePaletteMatches(query);
  const { selectFirstOption } = combobox;
  const count = matches.length;
  useEffect(() => {
    if (count > 0) selectFirstOption();
  }, [query, count, selectFirstOption]);
  const open = (index: string) => {
    const match = matches[Number(index)];
    if (!match) return;
    onClose();
    void navigate({ to: match.to, ...(match.search && { search: match.search }) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title={t('palette.title')}
      classNames={{ header: classes['header'] ?? '' }}
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget>
          <TextInput
            aria-label={t('palette.title')}
            placeholder={t('palette.placeholder')}
            leftSection={<SearchIcon />}
            variant="unstyled"
            size="lg"
            maxLength={200}
            data-autofocus
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <div className={classes['list']}>
          <Combobox.Options aria-label={t('palette.found')}>
            {matches.map((match, index) => (
              <MatchOption key={`${match.to} ${match.name}`} match={match} index={index} />
            ))}
            {count === 0 && <Combobox.Empty>{t('palette.nothing')}</Combobox.Empty>}
          </Combobox.Options>
        </div>
      </Combobox>
    </Modal>
  );
}

function MatchOption({ match, index }: { readonly match: PaletteMatch; readonly index: number }) {
  const { t } = useText();
  const { icon: Icon, name, detail, kind } = match;
  return (
    <Combobox.Option value={String(index)} className={classes['option'] ?? ''}>
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
        {t(kind)}
      </Text>
    </Combobox.Option>
  );
}
