import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { submitWith } from '../../components/submit-with.ts';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { requestPath, type Scope } from './scope.ts';

/** Opens a request by its id or by the id of its response. */
export function IdSearch({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const navigate = useNavigate();
  const [written, setWritten] = useState('');
  const id = written.trim();
  return (
    <form
      role="search"
      aria-label={t('requests.findLabel')}
      onSubmit={submitWith(() => {
        if (id !== '') void navigate({ to: requestPath(scope, id) });
      })}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          aria-label={t('requests.findLabel')}
          placeholder={t('requests.findPlaceholder')}
          leftSection={<SearchIcon size={16} />}
          value={written}
          onChange={({ currentTarget }) => setWritten(currentTarget.value)}
          w={240}
        />
        <Button type="submit" variant="default" disabled={id === ''}>
          {t('requests.find')}
        </Button>
      </Group>
    </form>
  );
}
