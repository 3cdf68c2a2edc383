import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { useErrorText } from '../../text/error-text.ts';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import type { Strings } from '../../text/strings.ts';
import { textIn } from '../playground/answer.ts';
import { type Run, runRequest } from '../playground/run.ts';

const texts = {
  send: ['Send a test request', '发送测试请求'],
  sendHelp: ['Asks {model} for one short sentence, with this key.', '使用此密钥让 {model} 回复一句话。'],
  greeting: ['Say hello in one short sentence.', '用一句话打个招呼。'],
  worked: ['The key works. {model} answered in {time}.', '密钥可用，{model} 在 {time} 内作出了回复。'],
  failed: ['The request failed', '请求失败'],
  incomplete: ['The answer broke off.', '回复中断。'],
} as const satisfies Strings;

/** Enough for a sentence, also after a short reasoning. */
const answerTokensMax = 200;

export interface TestRequestProps {
  readonly secret: string;
  readonly model: string;
  /** Called with the id of the request, whether it succeeded or not. */
  readonly onSent: (requestId: string) => void;
}

/** Sends a first request with a new key, and shows how it ended. */
export function TestRequest({ secret, model, onSent }: TestRequestProps) {
  const t = usePageText(texts);
  const [run, setRun] = useState<Run>();
  const send = async () => {
    const ended = await runRequest(
      {
        surface: 'chat',
        path: '/v1/chat/completions',
        secret,
        body: {
          model,
          messages: [{ role: 'user', content: t('greeting') }],
          max_tokens: answerTokensMax,
          stream: true,
        },
        signal: AbortSignal.timeout(answerMsMax),
      },
      setRun,
    );
    if (ended.requestId !== undefined) onSent(ended.requestId);
  };
  return (
    <>
      <Group gap="sm">
        <Button variant="default" loading={run?.state === 'running'} onClick={() => void send()}>
          {t('send')}
        </Button>
        <Text fz="sm" c="dimmed">
          {t('sendHelp', { model })}
        </Text>
      </Group>
      {run && run.state !== 'running' && <Outcome run={run} model={model} />}
    </>
  );
}

/** A user does not wait longer for a sentence. */
const answerMsMax = 120_000;

function Outcome({ run, model }: { readonly run: Run; readonly model: string }) {
  const t = usePageText(texts);
  const format = useFormat();
  const textOf = useErrorText();
  if (run.state === 'whole') {
    return (
      <Alert color="accent" icon={<CheckIcon />} role="status" mt="sm">
        {t('worked', { model, time: format.duration(run.durationMs ?? 0) })}
        <Text fz="sm" c="dimmed" lineClamp={3}>
          {textIn(run.answer.parts)}
        </Text>
      </Alert>
    );
  }
  return (
    <Alert color="red" icon={<WarningIcon />} role="alert" mt="sm" title={t('failed')}>
      {run.error ? textOf(run.error) : t('incomplete')}
    </Alert>
  );
}
