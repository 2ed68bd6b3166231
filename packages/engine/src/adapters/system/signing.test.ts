import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SignedPurpose } from '../../ports/signer.ts';
import { createSigner } from './signing.ts';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const K1 = key('k1');
const signer = createSigner([K1]);
const FIELDS = ['order', 'sale', 'buyer', ''];

/** Letters that mean something to the encoding come often. */
const fieldText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('0', '1', '2', ':', '.', 'a', '/', '界', '😀') }),
);
const fieldLists = fc.array(fieldText, { maxLength: 8 });
const macOf = (text: string) => text.split('.')[2];

describe('signing', () => {
  it('gives back what was signed', () => {
    fc.assert(
      fc.property(fieldLists, (fields) => {
        expect(signer.verify('purchase', signer.sign('purchase', fields))).toEqual(fields);
      }),
    );
  });

  it('signs no two lists of fields alike, not even when a letter moves to the neighbour', () => {
    fc.assert(
      fc.property(fc.array(fieldText, { minLength: 2, maxLength: 6 }), fc.nat(), (fields, pick) => {
        const at = pick % (fields.length - 1);
        const [left = '', right = ''] = fields.slice(at, at + 2);
        const letter = [...left].at(-1);
        fc.pre(letter !== undefined);
        const moved = fields.with(at, left.slice(0, -letter.length)).with(at + 1, letter + right);
        expect(macOf(signer.sign('purchase', moved))).not.toBe(macOf(signer.sign('purchase', fields)));
      }),
    );
    fc.assert(
      fc.property(fieldLists, fieldLists, (a, b) => {
        const isAlike = JSON.stringify(a) === JSON.stringify(b);
        expect(signer.sign('purchase', a) === signer.sign('purchase', b)).toBe(isAlike);
      }),
    );
  });

  it('knows no text in which one bit was turned', () => {
    const bytes = Buffer.from(signer.sign('purchase', FIELDS));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(signer.verify('purchase', changed.toString('latin1'))).toBeNull();
    }
  });

  it('knows no part of a text, no text with something added, and no other spelling of it', () => {
    const text = signer.sign('purchase', FIELDS);
    for (let length = 0; length < text.length; length++) {
      expect(signer.verify('purchase', text.slice(0, length))).toBeNull();
      expect(signer.verify('purchase', text.slice(length + 1))).toBeNull();
    }
    const [id, body, mac] = text.split('.');
    const standard = (part = '') => Buffer.from(part, 'base64url').toString('base64');
    const others = [
      `${text}.`,
      `.${text}`,
      `${text}=`,
      ` ${text}`,
      `${text}\n`,
      `${text}.${mac}`,
      `${id}.${body}=.${mac}`,
    ];
    others.push(
      `${id}.${body}.`,
      `${id}..${mac}`,
      `.${body}.${mac}`,
      `${id}.${standard(body)}=.${mac}`,
      text.repeat(100),
    );
    others.push(
      `${id}.${body}.${standard(mac)}`,
      `${id}.${body}.${mac?.toLowerCase()}`,
      `${id}.${body}.${'é'.repeat(43)}`,
    );
    for (const other of others) expect(signer.verify('purchase', other), other).toBeNull();
  });

  it('does not take the body of one text with the signature of another', () => {
    const [id, body] = signer.sign('purchase', FIELDS).split('.');
    const mac = macOf(signer.sign('purchase', [...FIELDS, 'more']));
    expect(signer.verify('purchase', `${id}.${body}.${mac}`)).toBeNull();
  });

  it('proves nothing for another purpose', () => {
    const purposes: readonly SignedPurpose[] = ['purchase', 'receipt'];
    for (const made of purposes) {
      for (const used of purposes) {
        expect(signer.verify(used, signer.sign(made, FIELDS)) !== null).toBe(made === used);
      }
    }
  });

  it('never throws, whatever text it is given', () => {
    const [id = '', body = '', mac = ''] = signer.sign('purchase', FIELDS).split('.');
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(id, body, mac, '__proto__', 'constructor', ''),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.join('.');
        fc.pre(text !== `${id}.${body}.${mac}`);
        expect(signer.verify('purchase', text)).toBeNull();
      }),
    );
  });

  it('lets one key follow another: the new one signs, both verify, a dropped one no more', () => {
    const K2 = key('k2');
    const old = signer.sign('purchase', FIELDS);
    const rotating = createSigner([K2, K1]);
    expect(rotating.sign('purchase', FIELDS)).toMatch(/^k2\./);
    expect(rotating.verify('purchase', old)).toEqual(FIELDS);
    expect(createSigner([K2]).verify('purchase', old)).toBeNull();
    expect(createSigner([{ ...K2, id: 'k1' }]).verify('purchase', old)).toBeNull();
  });

  it('derives one id of 22 letters from the same fields, whatever key was put first since', () => {
    const id = signer.deriveId('bulk', ['server', 'sale', 'ann', 'r1']);
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(createSigner([key('k2'), K1]).deriveId('bulk', ['server', 'sale', 'ann', 'r1'])).toBe(id);
    expect(createSigner([key('k2')]).deriveId('bulk', ['server', 'sale', 'ann', 'r1'])).not.toBe(id);
    for (const other of [
      ['server', 'sale', 'an', 'nr1'],
      ['server', 'sale', 'ann', 'r2'],
      ['server', 'sale', 'ann'],
    ]) {
      expect(signer.deriveId('bulk', other)).not.toBe(id);
    }
  });

  it('takes the key id into the signature', () => {
    const twins = createSigner([K1, { ...K1, id: 'k9' }]);
    const [, body, mac] = twins.sign('purchase', FIELDS).split('.');
    expect(twins.verify('purchase', `k9.${body}.${mac}`)).toBeNull();
  });

  it('refuses keys that are too short, of one name, or whose name would split the text', () => {
    const short = { id: 'k1', secret: randomBytes(31) };
    expect(() => createSigner([short])).toThrow(/32 bytes/);
    expect(() => createSigner([K1, short])).toThrow(/32 bytes/);
    expect(() => createSigner([K1, key('k1')])).toThrow(/different/);
    expect(() => createSigner([key('k.1')])).toThrow(/a key id is letters/);
  });
});
