const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * FNV-1a, 64 bits, as 16 hexadecimal digits (http://www.isthe.com/chongo/tech/comp/fnv). For names,
 * not against adversaries: loading Node's crypto for it would cost a start-up 3 ms.
 */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(text, 'utf8')) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, '0');
}
