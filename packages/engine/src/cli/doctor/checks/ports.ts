import { createServer } from 'node:net';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Check, Scene } from '../scene.ts';

const NAME = 'port';

export const checkPorts: Check = async (scene) => {
  const { host, port, adminPort } = scene.settings;
  const ports = [port, ...(adminPort === undefined ? [] : [adminPort])];
  return Promise.all(ports.map((each) => checkPort(scene, host, each)));
};

async function checkPort(scene: Scene, host: string, port: number): Promise<Finding> {
  if (port === 0) return ok(NAME, 'Any free one is taken.');
  if (scene.isRunning && isOfEndpoint(scene, port)) return ok(NAME, `${port} is served by this deployment.`);
  const code = await codeOfListening(host, port);
  switch (code) {
    case null:
      return ok(NAME, `${port} on ${host} is free.`);
    case 'EADDRINUSE':
      // It was started on another port than the one that is set.
      if (scene.isRunning)
        return warn(NAME, `${port} on ${host} is taken by another program, so the next start needs another port.`);
      return fail(NAME, `${port} on ${host} is taken by another program: stop it, or set another port.`);
    case 'EACCES':
      return fail(NAME, `This user may not listen on ${port}: set a port above 1023.`);
    default:
      return fail(NAME, `${host} cannot be listened on (${code}): set host to an address of this machine.`);
  }
}

function isOfEndpoint({ endpoint }: Scene, port: number): boolean {
  return endpoint !== null && [endpoint.url, endpoint.adminUrl].some((url) => Number(new URL(url).port) === port);
}

/** Null: it can be listened on. */
function codeOfListening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
