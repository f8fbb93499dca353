/* Words of unit files, systemd.unit(5). */

/** A value as it is: systemd reads `%` as a specifier everywhere. */
export function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A value with blanks or quotes in it. */
export function quoted(text: string): string {
  const inner = escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${inner}"`;
}

/** A word of a command line, where `$` begins a variable as well. */
export function commandWord(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/u.test(word) ? escaped(text) : quoted(text);
}
