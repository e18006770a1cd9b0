import { createServer } from 'node:http';
import { exposition } from './metrics.ts';

export interface Health {
  readonly ok: boolean;
  readonly [fact: string]: unknown;
}

export interface Http {
  readonly port: number;
  close(): void;
}

/** Serves /metrics and /healthz on loopback. Port 0: any free one. Rejects if the port is taken. */
export async function serveHttp(port: number, health: () => Health): Promise<Http> {
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') {
      const { type, text } = await exposition();
      response.writeHead(200, { 'content-type': type }).end(text);
    } else if (request.url === '/healthz') {
      const answer = health();
      response.writeHead(answer.ok ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } else response.writeHead(404).end('not found: there are /metrics and /healthz\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
