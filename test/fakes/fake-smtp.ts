import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that stores e-mails, or fails as the test requires. */
export interface FakeSmtp {
  readonly port: number;
  readonly emails: readonly ReceivedEmail[];
  /** Every command line of the clients, without the e-mails. */
  readonly commands: readonly string[];
  close(): void;
}

export interface ReceivedEmail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as received. */
  readonly text: string;
}

/** The server's behaviour instead of accepting an e-mail. */
export type SmtpFault = 'hang' | 'refuse-reader' | 'busy' | 'no-starttls' | 'close' | undefined;

export async function fakeSmtp(fault: () => SmtpFault = () => undefined): Promise<FakeSmtp> {
  const emails: ReceivedEmail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setEncoding('latin1').on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
    if (fault() === 'hang') return;
    if (fault() === 'close') {
      socket.destroy();
      return;
    }
    const reply = (line: string): boolean => socket.write(`${line}\r\n`);
    let [buffered, email, from, to] = ['', undefined as string | undefined, '', [] as string[]];
    reply('220 mail.example ESMTP');
    socket.on('data', (text: string) => {
      buffered += text;
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        if (email !== undefined) readEmailLine(line);
        else answer(line);
      }
    });

    function readEmailLine(line: string): void {
      if (line !== '.') return void (email += `${line.replace(/^\./, '')}\n`);
      emails.push({ from, to, text: email ?? '' });
      email = undefined;
      reply('250 taken');
    }

    function answer(line: string): void {
      commands.push(line);
      const [verb = ''] = line.toUpperCase().split(' ');
      if (verb === 'EHLO') reply('250-mail.example\r\n250 8BITMIME');
      else if (verb === 'MAIL') {
        from = line;
        reply(fault() === 'busy' ? '451 try later' : '250 ok');
      } else if (verb === 'RCPT') {
        to = [...to, line];
        reply(fault() === 'refuse-reader' ? '550 no such user' : '250 ok');
      } else if (verb === 'DATA') {
        email = '';
        reply('354 go on');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else reply('502 what');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    emails,
    commands,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** An e-mail with all encodings of headers and parts decoded. */
export interface ReadEmail {
  readonly subject: string;
  readonly to: string;
  readonly text: string;
  readonly html: string;
  /** The distinct links of its text and its HTML. */
  readonly links: readonly string[];
}

export function readEmail({ text: raw }: ReceivedEmail): ReadEmail {
  const { head, body } = partOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\n/, '')));
  const textsOf = (type: string) =>
    parts.filter(({ head: own }) => own.includes(`${type}; charset=utf-8`)).map(decoded);
  const [[text = ''], [html = '']] = [textsOf('text/plain'), textsOf('text/html')];
  const hrefs = [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return {
    subject: decodeWords(/^Subject: (.*)$/m.exec(head)?.[1] ?? ''),
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

/** Decodes the RFC 2047 words of a header. Throws if the header is not ASCII. */
function decodeWords(value: string): string {
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
