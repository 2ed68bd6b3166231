/** Signatures and secrets as https://www.standardwebhooks.com has them, version v1 with a shared secret. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Of 24 to 64 that the specification allows. */
const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  /** The very letters that are sent. */
  readonly body: string;
}

/** One signature for each secret: a receiver is content with any that it can verify. */
export function signatureHeaders(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const { id, timestampSeconds, body } = message;
  const content = `${id}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  };
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
