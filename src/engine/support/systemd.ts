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

/** A command line, where `$` starts a variable in all words but the first. */
export function commandLine([program = '', ...args]: readonly string[]): string {
  const words = args.map((arg) => arg.replaceAll('$', '$$$$'));
  return [program, ...words]
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? escaped(word) : quoted(word)))
    .join(' ');
}

/** Read by systemd as root; can be missing. */
export const ENVIRONMENT_FILE = [
  '# Secrets, one NAME=value per line; only root needs to read it.',
  'EnvironmentFile=-/etc/svc/svc.env',
] as const;
