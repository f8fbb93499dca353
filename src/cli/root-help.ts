import type { Config } from '@oclif/core/config';
import { ownWords } from './own-words.js';

/** Whether a command line asks for the help of the program itself, and of no command. */
export function asksForRootHelp(argv: readonly string[]): boolean {
  const words = ownWords(argv).filter((word) => !['--help', '-h', 'help'].includes(word));
  return words.length === 0;
}

/**
 * The help of the program itself, in one list that fits into a terminal of 80 by 24: oclif's own has
 * commands and topics apart, and one that is both in each.
 */
export function rootHelp(config: Config): string {
  const topics = config.topics.filter(({ name, hidden }) => !name.includes(':') && hidden !== true);
  const rows = new Map(topics.map(({ name, description }) => [name, description ?? '']));
  for (const { id, summary, description, hidden } of config.commands) {
    // What both is and has commands is told as a topic.
    if (id.includes(':') || hidden || rows.has(id)) continue;
    rows.set(id, summary ?? description?.split('\n')[0] ?? '');
  }
  // The last line tells of it.
  rows.delete('help');
  const width = Math.max(...[...rows.keys()].map((name) => name.length));
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, does]) => `  ${name.padEnd(width)}  ${does}`);
  return [
    config.pjson['description'] ?? '',
    '',
    '$ svc COMMAND [ARGUMENT] [--flag value]',
    '',
    ...lines,
    '',
    'svc COMMAND --help tells all of a command, svc --version the version.',
    '',
  ].join('\n');
}
