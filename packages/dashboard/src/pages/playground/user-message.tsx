import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../components/copy-field.tsx';
import { Form } from '../../components/form.tsx';
import { EditIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';

/** A message of the user. After an edit, the conversation continues from there. */
export function UserMessage({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const { t } = useText();
  const [edited, setEdited] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isEdited = edited !== undefined;
  useEffect(() => {
    if (!isEdited) return undefined;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
    // Cancelling returns the focus to the button; sending moves it elsewhere.
    return () => void setTimeout(() => document.activeElement === document.body && button.current?.focus());
  }, [isEdited, text.length]);
  const send = (words: string) => {
    setEdited(undefined);
    onChange(words);
  };
  if (edited !== undefined) {
    return (
      <Form className={classes['editing']} onSubmit={() => send(edited.trim())}>
        <Textarea
          aria-label={t('playground.editTurn')}
          description={t('playground.editHelp')}
          inputWrapperOrder={['input', 'description']}
          autosize
          minRows={2}
          maxRows={12}
          ref={field}
          value={edited}
          onChange={({ currentTarget }) => setEdited(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setEdited(undefined);
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            if (edited.trim() !== '') send(edited.trim());
          }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="compact-sm" onClick={() => setEdited(undefined)}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" size="compact-sm" disabled={edited.trim() === ''}>
            {t('playground.editSend')}
          </Button>
        </Group>
      </Form>
    );
  }
  return (
    <Stack gap={2} align="flex-end">
      <div className={classes['said']}>
        <Text fz="xs" c="dimmed" mb={4}>
          {t('playground.you')}
        </Text>
        <div className={classes['words']}>{text}</div>
      </div>
      <Group gap={0} mb={-12}>
        <CopyButton text={text} label={t('playground.copyTurn')} />
        <Tooltip label={t('playground.editTurn')}>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('playground.editTurn')}
            onClick={() => setEdited(text)}
          >
            <EditIcon />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Stack>
  );
}
