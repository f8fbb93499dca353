const SLASH = 0x2f;

/**
 * The path of a request without trailing slashes and needless escapes, so that all ways to write it are equal.
 * Escapes of characters that separate parts of an address stay, with upper-case digits.
 */
export function plainPath(path: string): string {
  // A pattern would take quadratic time for many slashes.
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === SLASH) end -= 1;
  const bare = path.slice(0, end);
  try {
    if (!bare.includes('%')) return bare;
    return decodeURI(bare).replaceAll(/%[\da-f]{2}/giu, (kept) => kept.toUpperCase());
  } catch {
    return bare;
  }
}

/** Escapes that {@link plainPath} leaves, escaped once more: of `#$&+,/:;=?@`. */
const ESCAPED_TWICE = /%25(2[346BCF]|3[ABDF]|40)/gu;

/** A path from {@link plainPath} as part of an address. */
export function escapedPath(path: string): string {
  return encodeURI(path).replaceAll(ESCAPED_TWICE, '%$1');
}
