import { Text } from '@mantine/core';
import type { RequestBodies } from '../../api/wire.ts';
import { sizeText } from '../../components/body-terms.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { useText } from '../../text/text.tsx';
import classes from './request.module.css';

export interface BodyTextProps {
  readonly title: string;
  readonly body: RequestBodies['request'];
}

/** One stored body: JSON indented, everything else unchanged. */
export function BodyText({ title, body }: BodyTextProps) {
  const { t } = useText();
  const pretty = body?.text && indented(body.text);
  const raw = body?.text ?? undefined;
  const snippets = [
    ...(pretty ? [{ name: t('bodies.pretty'), code: pretty }] : []),
    ...(raw === undefined ? [] : [{ name: t('bodies.raw'), code: raw }]),
    ...(body?.base64 ? [{ name: t('bodies.bytes'), code: body.base64 }] : []),
  ];
  return (
    <div className={classes['body']}>
      <Text fw={560} mb={6}>
        {title}
      </Text>
      {body ? <CodeBlock snippets={snippets} /> : <Text c="dimmed">{t('bodies.nothing')}</Text>}
      {body?.truncated && (
        <Text fz="sm" c="dimmed" mt={6}>
          {t('bodies.cut', { size: sizeText(body.bytes) })}
        </Text>
      )}
    </div>
  );
}

/** Indented JSON. Undefined if the text is not valid JSON, or was truncated. */
function indented(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}
