import { Anchor } from '@mantine/core';
import { Markdown, type MarkdownToJSX } from 'markdown-to-jsx/react';
import { type ComponentProps, isValidElement, memo, type ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { useText } from '../../text/text.tsx';
import classes from './rendered-text.module.css';

/** Renders the Markdown of a model. The output is untrusted: nothing in it runs, loads or opens without a click. */
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

/** The page has its own headings above, so the model's start at level 3. They get no ids. */
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

/** Holds back unclosed markup, so that the text does not jump while it streams in. */
const growing: MarkdownToJSX.Options = { ...whole, optimizeForStreaming: true };

/** Allows web and e-mail links only. */
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

/** Loading an image would reveal the reader to its server, so it becomes a link. */
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

/** A checkbox would look clickable. */
function Tick({ checked }: ComponentProps<'input'>) {
  return <>{checked ? '☑' : '☐'}</>;
}

/** Wide tables scroll, not the page. */
function Table({ children }: ComponentProps<'table'>) {
  const { t } = useText();
  return (
    <div className={classes['table']} role="region" aria-label={t('playground.table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}
