import { CodeView } from './code-view.tsx';
import { ConversationView, type ConversationViewProps } from './conversation-view.tsx';
import { FramesView } from './frames-view.tsx';
import classes from './playground.module.css';
import type { Settings } from './settings.ts';

export type PaneView = 'conversation' | 'frames' | 'code';

export interface PaneProps extends ConversationViewProps {
  readonly view: PaneView;
  readonly settings: Settings;
  /** Whether it stands beside another, and so has to say whose it is. */
  readonly isNamed: boolean;
}

/** One conversation, as words, as what came over the wire, or as code. */
export function Pane({ view, settings, isNamed, ...shown }: PaneProps) {
  const { conversation } = shown;
  return (
    <section className={classes['pane']} aria-label={settings.model}>
      {isNamed && <h2 className={classes['paneName']}>{settings.model}</h2>}
      {view === 'conversation' && <ConversationView {...shown} />}
      {view === 'frames' && <FramesView frames={conversation.run?.frames ?? []} />}
      {view === 'code' && <CodeView settings={settings} entries={conversation.entries} />}
    </section>
  );
}
