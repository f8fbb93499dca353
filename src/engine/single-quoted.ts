/**
 * A text as one word of a POSIX shell, in which nothing means anything to the shell ("Shell Command
 * Language", 2.2.2 "Single-Quotes").
 */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
