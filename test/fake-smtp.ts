import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that keeps what it is given, or misbehaves as a test says. */
export interface FakeSmtp {
  readonly port: number;
  readonly letters: readonly TakenLetter[];
  /** Every line that clients said, letters apart. */
  readonly said: readonly string[];
  close(): void;
}

export interface TakenLetter {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body as they came. */
  readonly text: string;
}

/** What it does instead of taking a letter. */
export type SmtpTrouble = 'hang' | 'refuse-reader' | 'busy' | 'no-starttls' | 'close' | undefined;

export async function fakeSmtp(trouble: () => SmtpTrouble = () => undefined): Promise<FakeSmtp> {
  const letters: TakenLetter[] = [];
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
      if (line !== '.') return void (letter += `${line}\n`);
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
