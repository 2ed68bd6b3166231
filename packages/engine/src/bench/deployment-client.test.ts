import { expect, test } from 'vitest';
import { createDeploymentClient, NoAnswer } from './deployment-client.ts';

test('only a server that does not answer is told as that; a call that cannot be sent is a mistake', async () => {
  const client = createDeploymentClient({ url: 'http://127.0.0.1:1', connections: 1 });
  await expect(client.call({ method: 'GET', path: '/v1/sales' })).rejects.toThrow(NoAnswer);
  await expect(client.call({ method: 'GET', path: '/v1/no such' })).rejects.not.toThrow(NoAnswer);
  await client.close();
});
