/** openapi.json: the document of a listener that serves everybody. */
import { createHttpServer } from '../../packages/engine/src/http/server.ts';

/** Nothing is asked of the engine: a document is made of the routes alone, and it has those of webhooks as every deployment has. */
export async function openApiDocument() {
  const key = 'k'.repeat(32);
  const app = createHttpServer({
    engine: { webhooks: {} },
    clock: { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {} },
    identity: { identify: () => null },
    metrics: { mediaType: 'text/plain', write: async () => '' },
    devIdentity: () => '',
    adminKey: key,
    serverKey: key,
    isReady: () => true,
    logger: false,
    trustedProxies: [],
  });
  const { statusCode, body } = await app.inject('/openapi.json');
  await app.close();
  if (statusCode !== 200) throw new Error(`the document was not served: ${body}`);
  return `${JSON.stringify(JSON.parse(body), null, 2)}\n`;
}
