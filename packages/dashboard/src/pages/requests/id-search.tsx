import { ActionIcon, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../components/form.tsx';
import { ArrowRightIcon, SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './requests.module.css';
import { requestPath, type Scope } from './scope.ts';

/** Opens a request by its id or by the id of its response. */
export function IdSearch({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const navigate = useNavigate();
  const [written, setWritten] = useState('');
  const id = written.trim();
  return (
    <Form
      role="search"
      className={classes['find']}
      aria-label={t('requests.findLabel')}
      onSubmit={() => {
        if (id !== '') void navigate({ to: requestPath(scope, id) });
      }}
    >
      <TextInput
        aria-label={t('requests.findLabel')}
        placeholder={t('requests.findPlaceholder')}
        leftSection={<SearchIcon size={16} />}
        rightSection={
          id !== '' && (
            <ActionIcon type="submit" variant="subtle" color="gray" aria-label={t('requests.find')}>
              <ArrowRightIcon size={16} />
            </ActionIcon>
          )
        }
        value={written}
        onChange={({ currentTarget }) => setWritten(currentTarget.value)}
      />
    </Form>
  );
}
