/** A text as a link (OSC 8). Terminals that know no links show the text only. The address must be safe: percent-encoded. */
export function linked(text: string, href: string | undefined): string {
  return href === undefined ? text : `\u001B]8;;${href}\u001B\\${text}\u001B]8;;\u001B\\`;
}
