/** Stands before several processes as a balancer does: each connection goes to the next of them that takes it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  close(): void;
}

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => {});
    client.on('close', () => open.delete(client));
    const first = turn++;
    tryPort(0);

    function tryPort(tries: number): void {
      const port = ports[(first + tries) % ports.length];
      if (port === undefined || tries === ports.length) return void client.destroy();
      const upstream = connect(port, '127.0.0.1');
      let isThrough = false;
      upstream.on('connect', () => {
        isThrough = true;
        client.pipe(upstream).pipe(client);
        client.on('close', () => upstream.destroy());
      });
      upstream.on('error', () => {
        if (!isThrough) tryPort(tries + 1);
      });
      upstream.on('close', () => {
        if (isThrough) client.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
