import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CodeView } from './code-view.tsx';
import { Composer } from './composer.tsx';
import { useConversation } from './conversation.ts';
import { ConversationView } from './conversation-view.tsx';
import { FramesView } from './frames-view.tsx';
import { KeyBox } from './key-box.tsx';
import { ParameterPanel } from './parameter-panel.tsx';
import classes from './playground.module.css';
import { usePlaygroundKey } from './playground-key.ts';
import { useSettings } from './use-settings.ts';

type View = 'conversation' | 'frames' | 'code';

export default function PlaygroundPage() {
  const { t } = useText();
  const [settings, change] = useSettings();
  const held = usePlaygroundKey();
  const conversation = useConversation(settings, held.key?.secret);
  const [view, setView] = useState<View>('conversation');
  const isRefused = conversation.run?.status === 401;
  return (
    <>
      <PageHeader
        title={t('nav.playground')}
        description={t('playground.description')}
        actions={
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            disabled={conversation.entries.length === 0}
            onClick={conversation.clear}
          >
            {t('playground.clear')}
          </Button>
        }
      />
      <div className={classes['layout']}>
        <ParameterPanel settings={settings} onChange={change} held={held} />
        <section className={classes['stage']} aria-label={t('playground.viewConversation')}>
          <SegmentedControl
            aria-label={t('playground.view')}
            value={view}
            onChange={(value) => setView(value)}
            data={[
              { value: 'conversation', label: t('playground.viewConversation') },
              { value: 'frames', label: t('playground.viewFrames') },
              { value: 'code', label: t('playground.viewCode') },
            ]}
          />
          <div className={classes['view']}>
            {view === 'conversation' && (
              <ConversationView
                conversation={conversation}
                onSample={(text, tools) => {
                  conversation.setDraft(text);
                  if (tools !== undefined) change({ tools });
                }}
              />
            )}
            {view === 'frames' && <FramesView frames={conversation.run?.frames ?? []} />}
            {view === 'code' && <CodeView settings={settings} entries={conversation.entries} />}
          </div>
          {(held.key === undefined || isRefused) && <KeyBox held={held} isRefused={isRefused} />}
          <Composer
            conversation={conversation}
            isReady={held.key !== undefined && settings.model !== ''}
            onSend={() => {
              if (view === 'code') setView('conversation');
              conversation.send();
            }}
          />
        </section>
      </div>
    </>
  );
}
