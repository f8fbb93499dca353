/** The value that a text of JSON says; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value that a text of JSON says, else the text itself: what servers answer may be either. */
export function jsonOrText(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}
