import { globSync, readFileSync } from 'node:fs';

/** Words that the project replaced, each with the word to use. A word inside an identifier counts too. */
const retiredWords: Readonly<Record<string, string>> = {
  whoever: 'name the actor: the request, the client, the process',
  nobody: 'name the actor: no client, no process',
  somebody: 'name the actor: a client, an operator',
  everybody: 'name the actor: every client, all processes',
  anybody: 'name the actor: any client, any process',
  lane: 'fast path',
  purse: 'account lease',
  vouch: 'WAL acknowledgement',
  vouched: 'acknowledged by the WAL',
  vouching: 'WAL acknowledgement',
  turnstile: 'work scheduler',
  patience: 'deadline or timeout',
  neighbour: 'peer',
  newcomer: 'pending sign-up',
  inquiry: 'request',
  shelf: 'replay buffer',
  companion: 'piggybacked write',
  passenger: 'piggybacked write',
  sift: 'bisect',
  mend: 'repair, or fix',
  mended: 'repaired, or fixed',
  mending: 'repairing, or fixing',
  spoilt: 'discarded',
  'vain wait': 'queue timeout',
  'waiting room': 'queue limit',
  'sign of life': 'heartbeat',
  'for want of': 'because there is no',
};

/** Files in which a retired word is right. */
const allowed: readonly { readonly file: RegExp; readonly word: string; readonly because: string }[] = [
  { file: /^test\/(serve\.test|services\/postgres-process)\.ts$/, word: 'nobody', because: 'a user of the system' },
];

const files = [
  '{src,packages/formats/src,packages/{figures,conform,import},test,scripts,bench,bin,dashboard/src}/**/*.{ts,tsx,css,cjs}',
  '{docs,deploy}/**/*.{md,yaml,json}',
  '{*,deploy/try/*,packages/dashboard/*,docs/.vitepress/**/*}.ts',
  'deploy/**/{*.{sh,conf,service,tpl,txt},.env.example}',
  '{*.md,*.yaml,Dockerfile}',
];
/** The built site repeats its pages. Recorded streams are the words of providers. This file lists the words. */
const unread = /^docs\/dist\/|\/fixtures\/.*\.json$|^scripts\/plain-language/;

const word = new RegExp(`(?<![a-z])(${Object.keys(retiredWords).join('|').replaceAll(' ', '[ -]')})s?(?![a-z])`, 'gi');

/** A comment, a Markdown sentence or a string that begins with a riddle. Questions are fine. */
const riddle =
  /(?:^\s*(?:\/\*\*?|\*|\/\/|#|-|[|])?\s*|['"`]|[.!] )(Whoever|Who|What (?:is|was|has|are|were|had|the|it|they|one)) [^.?!]*(?=([.?!]|$))/g;

/** Lines that use a retired word or begin a sentence without an actor, with what to write instead. */
export function languageFindings(root = '.'): readonly string[] {
  return files
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !unread.test(file))
    .toSorted()
    .flatMap((file) => findingsIn(file, readFileSync(`${root}/${file}`, 'utf8')));
}

/** Findings of one file, as `file:line: what is wrong`. */
export function findingsIn(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const where = `${file}:${index + 1}`;
    // An identifier is several words: `accountPurse` has the word "purse".
    const spaced = line.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
    const words = [...spaced.matchAll(word)].flatMap(([, found = '']) => {
      const retired = found.toLowerCase().replace('-', ' ');
      return isAllowed(file, retired) ? [] : [`${where}: "${retired}": ${retiredWords[retired]}`];
    });
    const riddles = [...line.matchAll(riddle)].flatMap(([, start, end]) =>
      end === '?' ? [] : [`${where}: a sentence begins with "${start}": name the actor`],
    );
    return [...words, ...riddles];
  });
}

function isAllowed(file: string, retired: string): boolean {
  return allowed.some((entry) => entry.word === retired && entry.file.test(file));
}
