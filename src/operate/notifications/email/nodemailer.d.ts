/** The part of the library that we use. The library has no types. */
declare module 'nodemailer' {
  interface NodemailerMessage {
    readonly from: string;
    readonly to: { readonly name: string; readonly address: string };
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    readonly messageId: string;
  }

  interface Transport {
    sendMail(message: NodemailerMessage): Promise<unknown>;
    close(): void;
  }

  interface TransportOptions {
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    readonly requireTLS: boolean;
    readonly ignoreTLS: boolean;
    readonly auth?: { readonly user: string; readonly pass: string };
    readonly connectionTimeout: number;
    readonly greetingTimeout: number;
    readonly socketTimeout: number;
    readonly disableFileAccess: boolean;
    readonly disableUrlAccess: boolean;
  }

  export function createTransport(options: TransportOptions): Transport;
}
