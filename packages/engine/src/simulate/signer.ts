/**
 * A signer without cryptography: fields, purpose and a key are folded into one number. It refuses changed text as the real
 * one does; that nobody can forge it is not what a simulation is about.
 */
import type { Signer } from '../ports/signer.ts';

const ID_LENGTH = 22;

export function createPlainSigner(key: string): Signer {
  return {
    sign(purpose, fields) {
      const body = fields.map((field) => `${field.length}:${field}`).join('');
      return `${body}.${seal(key, purpose, body)}`;
    },
    deriveId(purpose, fields) {
      const body = fields.map((field) => `${field.length}:${field}`).join('');
      return [0, 1, 2, 3]
        .map((part) => seal(key, `${purpose}${part}`, body).padStart(7, '0'))
        .join('')
        .slice(-ID_LENGTH);
    },
    verify(purpose, text) {
      const end = text.lastIndexOf('.');
      const body = text.slice(0, Math.max(0, end));
      if (end < 0 || text.slice(end + 1) !== seal(key, purpose, body)) return null;
      return fieldsOf(body);
    },
  };
}

function fieldsOf(body: string): readonly string[] | null {
  const fields: string[] = [];
  for (let at = 0; at < body.length; ) {
    const colon = body.indexOf(':', at);
    const length = Number(body.slice(at, colon));
    if (colon < 0 || !Number.isSafeInteger(length)) return null;
    fields.push(body.slice(colon + 1, colon + 1 + length));
    at = colon + 1 + length;
  }
  return fields;
}

function seal(key: string, purpose: string, body: string): string {
  let sum = 0x811c_9dc5;
  const text = `${key}/${purpose}/${body}`;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x0100_0193);
  return (sum >>> 0).toString(36);
}
