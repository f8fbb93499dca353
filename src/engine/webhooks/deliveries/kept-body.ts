import { isUtf8 } from 'node:buffer';
import type { SecretMask } from '../../secrets/index.js';

/** What became of a body; only a whole one can be replayed. */
export type BodyState = 'binary' | 'cut' | 'masked' | 'none' | 'whole';

interface KeptBody {
  readonly body: string;
  readonly bodyState: BodyState;
  readonly bodyBytes: number;
}

type Mask = Pick<SecretMask, 'text'>;

/** Beyond the end, so that a secret that is cut in two is masked as well. */
const MARGIN = 8192;

/** What is recorded of a body. */
export function keptBody(
  body: Buffer | undefined,
  contentType: string | undefined,
  mask: Mask,
  maxBytes: number,
): KeptBody {
  const bodyBytes = body?.length ?? 0;
  if (body === undefined || bodyBytes === 0 || maxBytes === 0) {
    return { body: '', bodyState: 'none', bodyBytes };
  }
  if (!isUtf8(body)) return { body: '', bodyState: 'binary', bodyBytes };
  const isCut = bodyBytes > maxBytes;
  const text = body.subarray(0, isCut ? maxBytes + MARGIN : bodyBytes).toString('utf8');
  const masked = maskedBody(text, contentType, mask);
  if (!isCut) return { body: masked, bodyState: masked === text ? 'whole' : 'masked', bodyBytes };
  // What is masked becomes shorter: a secret at the end would otherwise move into what is kept.
  const kept = Math.max(0, Math.min(maxBytes, masked.length - MARGIN));
  return { body: masked.slice(0, kept), bodyState: 'cut', bodyBytes };
}

/** As it was sent, unless a secret is in it, also one that is written in another way. */
function maskedBody(text: string, contentType: string | undefined, mask: Mask): string {
  const masked = mask.text(text);
  const isForm = contentType?.toLowerCase().includes('form-urlencoded') === true;
  const plain = unescaped(isForm ? decodedForm(masked) : masked);
  const maskedPlain = plain === masked ? plain : mask.text(plain);
  return maskedPlain === plain ? masked : maskedPlain;
}

const ESCAPE = /\\(?:u([\da-f]{4})|\/)/giu;

/** JSON can write every character as an escape. Not parsed, because it may be cut or nested too deeply. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(ESCAPE, (_, code: string | undefined) =>
    code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function decodedForm(text: string): string {
  return Array.from(new URLSearchParams(text), ([name, value]) => `${name}=${value}`).join('&');
}
