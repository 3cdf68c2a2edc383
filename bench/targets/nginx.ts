import { accessSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../free-port.ts';
import type { BenchStage } from '../stage.ts';
import { pidOf, type Target, waitUntilListening } from './target.ts';

/** `proxy_pass` with buffering off, one worker and no log; undefined if nginx is not installed. */
export async function startNginx(stage: BenchStage): Promise<Target | undefined> {
  const program = findNginx();
  if (program === undefined) return undefined;
  const directory = join(stage.directory, 'nginx');
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const configFile = join(directory, 'nginx.conf');
  const logFile = join(directory, 'stderr.log');
  writeFileSync(configFile, configuration(directory, port, stage.upstreamPort));
  const child = stage.children.spawn(program, ['-e', 'stderr', '-p', directory, '-c', configFile], {
    stdio: ['ignore', 'ignore', openSync(logFile, 'w')],
  });
  await waitUntilListening(child, port, () => `nginx: ${readFileSync(logFile, 'utf8').slice(-500)}`);
  return {
    name: 'nginx',
    address: { port, key: 'none' },
    pid: pidOf(child),
    stop: () => stage.children.stop(child),
  };
}

function findNginx(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return directories.map((directory) => join(directory, 'nginx')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Neither side retires connections after a number of requests, because reconnecting is not measured. */
function configuration(directory: string, port: number, upstreamPort: number): string {
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};` : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  return `${user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${directory}/nginx.pid;
error_log stderr error;
events { worker_connections 16384; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  keepalive_timeout 300s;
  keepalive_requests 100000000;
  upstream fake {
    server 127.0.0.1:${upstreamPort};
    keepalive 1024;
    keepalive_requests 100000000;
    keepalive_timeout 300s;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://fake;
      proxy_buffering off;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_read_timeout 300s;
    }
  }
}
`;
}
