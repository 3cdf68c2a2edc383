import { Badge, Button, Card, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../components/form.tsx';
import { useText } from '../../text/text.tsx';
import type { CallPart, ToolResult } from './answer.ts';
import classes from './playground.module.css';

export interface CallCardsProps {
  readonly calls: readonly CallPart[];
  /** Whether results can be entered: only for the last answer, once it is complete. */
  readonly canAnswer: boolean;
  readonly onResults: (results: readonly ToolResult[]) => void;
}

/** The tool calls of the model, each with a field for its result. */
export function CallCards({ calls, canAnswer, onResults }: CallCardsProps) {
  const { t } = useText();
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const results = calls.map(({ id, name }) => ({ callId: id, name, content: written[id] ?? '' }));
  const isFilled = results.every(({ content }) => content.trim() !== '');
  return (
    <Form
      onSubmit={() => {
        if (isFilled) onResults(results);
      }}
    >
      <Stack gap="sm">
        {calls.map((call, index) => (
          <Card
            key={call.id || index}
            padding="md"
            component="section"
            aria-label={`${t('playground.call')} ${call.name}`}
          >
            <Group gap="xs" mb="xs">
              <Badge color="gray">{t('playground.call')}</Badge>
              <Text fw={600} ff="monospace">
                {call.name}
              </Text>
            </Group>
            <pre className={classes['code']}>{indented(call.arguments)}</pre>
            {canAnswer && (
              <Textarea
                mt="sm"
                label={t('playground.callResult', { name: call.name })}
                placeholder={t('playground.callResultPlaceholder')}
                autosize
                minRows={2}
                maxRows={10}
                value={written[call.id] ?? ''}
                onChange={({ currentTarget: { value } }) => setWritten((before) => ({ ...before, [call.id]: value }))}
              />
            )}
          </Card>
        ))}
        {canAnswer && (
          <Group justify="flex-end">
            <Button type="submit" disabled={!isFilled}>
              {t('playground.sendResults')}
            </Button>
          </Group>
        )}
      </Stack>
    </Form>
  );
}

/** Indents arguments that are valid JSON. Incomplete or malformed ones stay unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
