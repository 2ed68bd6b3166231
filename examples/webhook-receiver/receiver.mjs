/**
 * A receiver of Sluice's webhooks: puts what was paid for into the player's mail, and tells Sluice that it was delivered.
 *
 * An event may come twice: after a crash, or when an answer was lost. What is done for it is named by the order, so that the
 * second time finds it done; and an event is answered with 2xx only when all of it is done, so that none is lost.
 */
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** An event is a few hundred bytes; a stranger's body is not read to its end. */
const MAX_BODY_BYTES = 65_536;

/** Shorter than Sluice waits for the answer to its event. */
const CALL_TIMEOUT_MS = 5_000;

/**
 * @param {{ secret: string, sluiceUrl: string, serverKey: string, mailDir: string, log?: (line: string) => void }} options
 */
export function createReceiver({ secret, sluiceUrl, serverKey, mailDir, log = console.log }) {
  const webhook = new Webhook(secret);

  /** What is not for us is answered like the rest: it has arrived. */
  async function take({ type, data }) {
    if (type !== 'order.paid') return;
    const isNew = await putIntoMail(mailDir, data);
    log(`${data.orderId}: ${isNew ? 'mail sent to' : 'mail was sent before to'} ${data.buyer}`);
    await confirm(data.orderId);
  }

  async function confirm(orderId) {
    const response = await fetch(`${sluiceUrl}/v1/orders/${encodeURIComponent(orderId)}/fulfilment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${serverKey}` },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const answer = await response.json();
    // The money has gone back meanwhile: nothing that another try would change.
    if (answer.reason === 'wrong_state') return log(`${orderId}: not paid any more`);
    if (!response.ok) throw new Error(`Sluice answered ${response.status}`);
    log(`${orderId}: ${answer.status}`);
  }

  async function answer(request, response) {
    try {
      // The letters as they came: a body that was parsed and written again has another signature.
      const body = await readBody(request);
      await take(webhook.verify(body, request.headers));
      response.writeHead(204).end();
    } catch (error) {
      const isForged = error instanceof WebhookVerificationError;
      log(isForged ? `refused: ${error.message}` : `failed, and will come again: ${error.message}`);
      response.writeHead(isForged ? 401 : 503).end();
    }
  }

  return createServer((request, response) => void answer(request, response));
}

/** Writes the mail of an order, once: a file of that name is made by one who comes first, whole and on the disk, or not at all. */
async function putIntoMail(mailDir, { orderId, buyer, items }) {
  await mkdir(mailDir, { recursive: true });
  const file = join(mailDir, `${orderId}.json`);
  const draft = join(mailDir, `${orderId}.${process.pid}.${Date.now()}.draft`);
  const handle = await open(draft, 'wx');
  try {
    await handle.writeFile(JSON.stringify({ orderId, to: buyer, items }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    await unlink(draft);
    await syncDirectory(mailDir);
  }
}

async function syncDirectory(directory) {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new WebhookVerificationError('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
