import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that keeps what it is given, or misbehaves as a test says. */
export interface FakeSmtp {
  readonly port: number;
  readonly letters: readonly TakenEmail[];
  /** Every line that clients said, letters apart. */
  readonly said: readonly string[];
  close(): void;
}

export interface TakenEmail {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body as they came. */
  readonly text: string;
}

/** What it does instead of taking a letter. */
export type SmtpFault = 'hang' | 'refuse-reader' | 'busy' | 'no-starttls' | 'close' | undefined;

export async function fakeSmtp(trouble: () => SmtpFault = () => undefined): Promise<FakeSmtp> {
  const letters: TakenEmail[] = [];
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setEncoding('latin1').on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
    if (trouble() === 'hang') return;
    if (trouble() === 'close') {
      socket.destroy();
      return;
    }
    const say = (line: string): boolean => socket.write(`${line}\r\n`);
    let [heard, letter, from, to] = ['', undefined as string | undefined, '', [] as string[]];
    say('220 mail.example ESMTP');
    socket.on('data', (text: string) => {
      heard += text;
      for (let end = heard.indexOf('\r\n'); end >= 0; end = heard.indexOf('\r\n')) {
        const line = heard.slice(0, end);
        heard = heard.slice(end + 2);
        if (letter !== undefined) takeLine(line);
        else answer(line);
      }
    });

    function takeLine(line: string): void {
      if (line !== '.') return void (letter += `${line.replace(/^\./, '')}\n`);
      letters.push({ from, to, text: letter ?? '' });
      letter = undefined;
      say('250 taken');
    }

    function answer(line: string): void {
      said.push(line);
      const [verb = ''] = line.toUpperCase().split(' ');
      if (verb === 'EHLO') say('250-mail.example\r\n250 8BITMIME');
      else if (verb === 'MAIL') {
        from = line;
        say(trouble() === 'busy' ? '451 try later' : '250 ok');
      } else if (verb === 'RCPT') {
        to = [...to, line];
        say(trouble() === 'refuse-reader' ? '550 nobody of that name' : '250 ok');
      } else if (verb === 'DATA') {
        letter = '';
        say('354 go on');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else say('502 what');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    letters,
    said,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A letter as its reader sees it, every encoding of the head and of the parts undone. */
export interface ReadEmail {
  readonly subject: string;
  readonly to: string;
  readonly text: string;
  readonly html: string;
  /** Where its text and its HTML lead, each of them once. */
  readonly links: readonly string[];
}

export function readEmail({ text: raw }: TakenEmail): ReadEmail {
  const { head, body } = partOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\n/, '')));
  const said = (type: string) => parts.filter(({ head: own }) => own.includes(`${type}; charset=utf-8`)).map(decoded);
  const [[text = ''], [html = '']] = [said('text/plain'), said('text/html')];
  const hrefs = [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return {
    subject: wordsIn(/^Subject: (.*)$/m.exec(head)?.[1] ?? ''),
    to: /^To: (.*)$/m.exec(head)?.[1] ?? '',
    text,
    html,
    links: [...new Set([...(text.match(/https?:\/\/\S+/g) ?? []), ...hrefs])],
  };
}

function partOf(raw: string): { readonly head: string; readonly body: string } {
  const at = raw.indexOf('\n\n');
  return { head: raw.slice(0, at).replace(/\n[ \t]+/g, ' '), body: raw.slice(at + 2) };
}

function decoded({ head, body }: { readonly head: string; readonly body: string }): string {
  const [, encoding = ''] = /Content-Transfer-Encoding: (\S+)/i.exec(head) ?? [];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Words in other scripts stand in a head as RFC 2047 has it, and nothing but ASCII does. */
function wordsIn(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new Error(`not ASCII: ${value}`);
  return value
    .replace(/\?= +=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('latin1')
        : text
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'));
}
