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

/** systemd refuses an executable with one of them in its path, however it is quoted. */
const REFUSED_IN_EXECUTABLE = /["'\\]/u;

/** A command line, where `$` starts a variable in all words but the first. */
export function commandLine([program = '', ...args]: readonly string[]): string {
  if (REFUSED_IN_EXECUTABLE.test(program)) return commandLine(['/usr/bin/env', program, ...args]);
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
