/**
 * The servers that tests run against: which packages they are, how an empty data directory is made, how they start. Each
 * entry is data and two small functions; what is the same for all is in serve.mjs.
 */
import { join } from 'node:path';

export const SERVICES = {
  redis: {
    packages: ['redis-server', 'redis-tools'],
    binaries: ['usr/bin/redis-server', 'usr/bin/redis-benchmark'],
    makeData: () => ({ command: 'true', args: [] }),
    start(folder, { dataDir, port, isDurable }) {
      const settings = {
        ...{ bind: '127.0.0.1', port, dir: dataDir, save: '', 'maxmemory-policy': 'noeviction' },
        ...(isDurable ? { appendonly: 'yes', appendfsync: 'always' } : { appendonly: 'no' }),
        'enable-debug-command': 'local',
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      return { command: join(folder, 'usr/bin/redis-server'), args: flags };
    },
    isReady: /Ready to accept connections/,
    stopSignal: 'SIGKILL',
    urlOf: (port) => `redis://127.0.0.1:${port}`,
  },
};
