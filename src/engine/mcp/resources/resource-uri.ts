/**
 * The address of an indexed file. A path that leads out of the workspace is put into words (`up2`),
 * because readers of addresses resolve `..` away.
 */
export function resourceUri(path: string): string {
  if (path.startsWith('/') || /^[a-z]:/iu.test(path)) return `memory://absolute/${encoded(path)}`;
  const ups = /^(?:\.\.\/)+/u.exec(path)?.[0].length ?? 0;
  if (ups === 0) return `memory://workspace/${encoded(path)}`;
  return `memory://up${ups / UP.length}/${encoded(path.slice(ups))}`;
}

const UP = '../';
const FORM = /^memory:\/\/(?<base>workspace|absolute|up(?<ups>[1-9]\d{0,2}))\/(?<rest>.+)$/u;

/** The inverse of {@link resourceUri}; undefined for any other address. */
export function pathOfResource(uri: string): string | undefined {
  const groups = FORM.exec(uri)?.groups;
  const rest = groups?.['rest'];
  if (groups === undefined || rest === undefined) return undefined;
  try {
    return UP.repeat(Number(groups['ups'] ?? 0)) + decodeURIComponent(rest);
  } catch {
    return undefined;
  }
}

/** Slashes stay, so that the address reads like the path; a leading one would be lost. */
function encoded(path: string): string {
  // Windows lets names hold half a character.
  const [first = '', ...rest] = path.replaceAll(/\p{Surrogate}/gu, '\uFFFD').split('/');
  return first === '' && rest.length > 0
    ? `%2F${rest.map(encodeURIComponent).join('/')}`
    : [first, ...rest].map(encodeURIComponent).join('/');
}
