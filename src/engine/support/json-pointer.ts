const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/u;
const POSITION = /^(?:0|[1-9]\d*)$/u;

/** The keys that a JSON pointer (RFC 6901) names, from the root; undefined for other text. */
export function pointerKeys(pointer: string): readonly string[] | undefined {
  if (!POINTER.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll(/~[01]/gu, (mark) => (mark === '~0' ? '~' : '/')));
}

/** The value at these keys of JSON data; undefined where there is none. */
export function valueAtKeys(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) ? !POSITION.test(key) : !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
