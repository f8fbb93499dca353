import { singleQuoted } from '../../single-quoted.js';

/** A line for a person's own crontab: for those without a long-lived process. */
export function crontabLine(
  frequency: string,
  timeZone: string | undefined,
  command: readonly string[],
): string {
  const line = `${frequency} ${command.map(shellWord).join(' ')}`;
  // Cronie and others read the zone from the file; a cron that does not runs on the host's clock.
  return timeZone === undefined ? line : `CRON_TZ=${timeZone}\n${line}`;
}

const PLAIN = /^[\w@%+=:,./-]+$/u;

/** In a crontab `%` means a line end, even within quotes. */
function shellWord(word: string): string {
  const quoted = PLAIN.test(word) ? word : singleQuoted(word);
  return quoted.replaceAll('%', String.raw`\%`);
}
