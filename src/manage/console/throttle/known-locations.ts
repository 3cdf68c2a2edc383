import { isIPv6 } from 'node:net';

/** The network of an IP address. Internet providers assign changing addresses of one network to the same customer. */
export function networkOf(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv6(bare)) return `${groupsOf(bare).slice(0, 3).join(':')}::/48`;
  return `${bare.split('.').slice(0, 3).join('.')}.0/24`;
}

const groupsMax = 8;

/** All eight groups, with `::` expanded to zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, groupsMax - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) =>
    group.toLowerCase().replace(/^0+(?=.)/, ''),
  );
}

/** Browser family and operating system, without versions, because versions change every month. */
export function browserOf(userAgent: string | undefined): { readonly browser: string; readonly system: string } {
  const text = userAgent ?? '';
  const find = (table: readonly (readonly [string, RegExp])[]) => table.find(([, pattern]) => pattern.test(text))?.[0];
  return { browser: find(browsers) ?? 'Other', system: find(systems) ?? 'Other' };
}

/** Most user agents contain the names of other browsers, so the most specific names come first. */
const browsers = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\/|Opera/],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\/|Chromium\//],
  ['Safari', /Safari\//],
] as const;

const systems = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh|Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux|X11/],
] as const;
