/**
 * Starts the receiver, set up by its environment:
 *
 *   WEBHOOK_SECRET=whsec_… SLUICE_SERVER_KEY=… node main.mjs
 *
 * SLUICE_URL (http://127.0.0.1:8460), MAIL_DIR (mail), PORT (8480; 0 takes any free one).
 */
import { createReceiver } from './receiver.mjs';

const { WEBHOOK_SECRET, SLUICE_SERVER_KEY, SLUICE_URL, MAIL_DIR, PORT } = process.env;
if (!WEBHOOK_SECRET || !SLUICE_SERVER_KEY) {
  console.error('Set WEBHOOK_SECRET (of `sluice webhook add`) and SLUICE_SERVER_KEY (in .sluice/keys.json).');
  process.exit(2);
}
const server = createReceiver({
  ...{ secret: WEBHOOK_SECRET, serverKey: SLUICE_SERVER_KEY },
  ...{ sluiceUrl: SLUICE_URL ?? 'http://127.0.0.1:8460', mailDir: MAIL_DIR ?? 'mail' },
});
server.listen(Number(PORT ?? 8480), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${server.address().port}/`);
});
