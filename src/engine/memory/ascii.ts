const NON_ASCII = /[^\0-\x7f]/;

/** Whether a text is plain ASCII: most notes are, and much can be done faster with them then. */
export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text);
}
