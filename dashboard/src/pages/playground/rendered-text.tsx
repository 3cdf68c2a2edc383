import { Anchor } from '@mantine/core';
import { Markdown, type MarkdownToJSX } from 'markdown-to-jsx/react';
import { type ComponentProps, isValidElement, memo, type ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { useText } from '../../text/text.tsx';
import classes from './rendered-text.module.css';

/** What a model wrote, as it meant it to look. A model is a stranger: nothing it writes runs, loads or leads anywhere unseen. */
export const RenderedText = memo(function RenderedText({ text, isGrowing }: RenderedTextProps) {
  return (
    <div className={classes['text']} data-growing={isGrowing || undefined}>
      <Markdown options={isGrowing ? growing : whole}>{text}</Markdown>
    </div>
  );
});

interface RenderedTextProps {
  readonly text: string;
  readonly isGrowing: boolean;
}

/** The page has headings of its own above it, so a model's begin two ranks lower. Their names are no addresses here. */
const heading = (rank: 3 | 4 | 5 | 6) =>
  function Heading({ children }: { readonly children?: ReactNode }) {
    const Tag = `h${rank}` as const;
    return <Tag>{children}</Tag>;
  };

const whole: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  wrapper: 'div',
  sanitizer: safeAddress,
  overrides: {
    a: Address,
    img: Picture,
    pre: Code,
    input: Tick,
    table: Table,
    h1: heading(3),
    h2: heading(4),
    h3: heading(5),
    h4: heading(6),
    h5: heading(6),
    h6: heading(6),
  },
};

/** Marks whose end has not come yet are held back, so that text does not jump while it streams in. */
const growing: MarkdownToJSX.Options = { ...whole, optimizeForStreaming: true };

/** Pages and mail; whatever else an address could do, it does not do here. */
function safeAddress(address: string): string | null {
  return /^(https?:\/\/|mailto:)/i.test(address.trim()) ? address.trim() : null;
}

function Address({ href, children }: ComponentProps<'a'>) {
  if (!href) return <>{children}</>;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer nofollow">
      {children}
    </Anchor>
  );
}

/** To load a picture would tell its server who reads this, so it is a link. */
function Picture({ src, alt }: ComponentProps<'img'>) {
  const { t } = useText();
  const name = alt || t('playground.picture');
  return src ? <Address href={src}>{name}</Address> : <>{name}</>;
}

function Code({ children }: ComponentProps<'pre'>) {
  const { t } = useText();
  const inner = isValidElement<ComponentProps<'code'>>(children) ? children.props : undefined;
  const language = /\blang(?:uage)?-(\S+)/.exec(inner?.className ?? '')?.[1];
  const code = textOf(inner?.children ?? children);
  return <CodeBlock snippets={[{ name: language ?? t('playground.code'), code }]} />;
}

function textOf(node: ReactNode): string {
  return Array.isArray(node) ? node.map(textOf).join('') : typeof node === 'string' ? node : '';
}

/** Nothing can be ticked here; a box would say that it can. */
function Tick({ checked }: ComponentProps<'input'>) {
  return <>{checked ? '☑' : '☐'}</>;
}

/** Wide tables are scrolled, not the page. */
function Table({ children }: ComponentProps<'table'>) {
  const { t } = useText();
  return (
    <div className={classes['table']} role="region" aria-label={t('playground.table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}
