/* Words of unit files, systemd.unit(5). */

/** A plain value: systemd treats `%` as a specifier everywhere. */
export function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A value with spaces or quotes. */
export function quoted(text: string): string {
  const inner = escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${inner}"`;
}

/** A word of a command line, where `$` starts a variable as well. */
export function commandWord(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/u.test(word) ? escaped(text) : quoted(text);
}

/** Read by systemd as root; can be missing. */
export const ENVIRONMENT_FILE = [
  '# Secrets, one NAME=value per line; only root needs to read it.',
  'EnvironmentFile=-/etc/svc/svc.env',
] as const;
