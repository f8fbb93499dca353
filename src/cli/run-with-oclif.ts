import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { SvcError } from '../engine/errors/index.js';
import { createSecretMask, environmentSecrets } from '../engine/secrets/index.js';
import { suggestName } from '../engine/support/text.js';
import { ownWords } from './fast-start.js';

import { exitCodeOf, formatErrorText, reportError } from './report-error.js';

/** oclif's own start: version, help of a command, plugin commands. Lists of commands are svc's own. */
export async function runWithOclif(
  argv: readonly string[],
  root: string,
  development: boolean,
): Promise<void> {
  if (development) settings.debug = true;
  try {
    const config = await Config.load({ root });
    const list = commandList(argv, config);
    if (list !== undefined) {
      process.stdout.write(list);
      return;
    }
    refuseUnknownCommand(argv, config);
    await run([...argv], config.options);
  } catch (error) {
    if (isExit(error)) {
      process.exitCode = error.oclif.exit;
      return;
    }
    const mask = createSecretMask(environmentSecrets(process.env));
    const report = reportError(error, mask);
    process.exitCode = exitCodeOf(report);
    if (argv.includes('--json'))
      process.stdout.write(`${JSON.stringify({ error: report }, null, 2)}\n`);
    else process.stderr.write(formatErrorText(report));
  }
}

/** Throws USAGE when the words name neither a command nor a topic. */
function refuseUnknownCommand(argv: readonly string[], config: Config): void {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  const known = [...config.commandIDs, ...config.topics.map(({ name }) => name)];
  const namesCommand = words.some((_, at) => {
    const id = words.slice(0, at + 1).join(':');
    const command = config.findCommand(id);
    // "dream" is short for a command, and "dream stauts" a mistyped command of the topic.
    const isShort = command?.aliases.includes(id) === true && config.findTopic(id) !== undefined;
    return command !== undefined && (!isShort || at === words.length - 1);
  });
  if (namesCommand) return;
  const at = words.findIndex((_, index) => !known.includes(words.slice(0, index + 1).join(':')));
  if (at === -1) {
    if (words.length > 0 || ['--version', '-v'].includes(argv[0] ?? '')) return;
    throw new SvcError('USAGE', `unknown flag: ${argv[0]}`, {
      hint: 'flags follow the command; "svc --help" lists the commands',
    });
  }
  const topic = words.slice(0, at).join(' ');
  const siblings = known
    .map((id) => id.split(':'))
    .filter((parts) => parts.length > at && parts.slice(0, at).join(' ') === topic)
    .map((parts) => parts[at] ?? '');
  const typed = words[at] ?? '';
  // Quoted as one word, or without its topic: "svc doctor" is meant for "svc config doctor".
  const quoted = typed.trim().replaceAll(/\s+/gu, ':');
  const elsewhere = known.find((id) => id === quoted || id.split(':').at(-1) === typed);
  const near = suggestName(typed, siblings);
  const meant = near === undefined ? elsewhere : [...words.slice(0, at), near].join(' ');
  const name = [...words.slice(0, at), typed].join(' ');
  throw new SvcError('USAGE', `unknown command: ${name}`, {
    hint:
      meant === undefined
        ? `"svc ${topic === '' ? '' : `${topic} `}--help" lists the commands`
        : `did you mean "svc ${meant.replaceAll(':', ' ')}"?`,
  });
}

function isExit(error: unknown): error is { readonly oclif: { readonly exit: number } } {
  return error instanceof Error && 'code' in error && error.code === 'EEXIT';
}

const HELP_WORDS: readonly string[] = ['--help', '-h', 'help'];

/**
 * The commands of svc, or of the topic that a command line names; undefined when it names something else. oclif
 * lists commands and topics apart, so that what is both appears twice, and its list needs more than 24 lines.
 */
function commandList(argv: readonly string[], config: Config): string | undefined {
  const words = ownWords(argv).filter((word) => !HELP_WORDS.includes(word));
  const topic = words.join(':');
  if (topic === '') return rootList(config);
  const found = config.findTopic(topic);
  if (found === undefined || config.findCommand(topic) !== undefined) return undefined;
  return listText(found.description ?? '', topic, rowsOf(topic, config));
}

/** Not listed at the top, where every line counts: what `svc` alone, `--help` and `--version` do too. */
const UNLISTED = ['help', 'ui', 'version'];

function rootList(config: Config): string {
  const rows = rowsOf('', config);
  for (const name of UNLISTED) rows.delete(name);
  return listText(config.pjson['description'] ?? '', '', rows);
}

/** What each command and topic directly below a topic does, by name. */
function rowsOf(topic: string, { commands, topics }: Config): Map<string, string> {
  const prefix = topic === '' ? '' : `${topic}:`;
  const isBelow = (id: string): boolean =>
    id.startsWith(prefix) && !id.slice(prefix.length).includes(':');
  const rows = new Map<string, string>();
  for (const { id, summary = '', aliases, hidden } of commands) {
    // Short forms of commands are not listed at the top, where every line counts.
    if (!isBelow(id) || hidden || (topic === '' && aliases.includes(id))) continue;
    rows.set(id.slice(prefix.length), summary);
  }
  // What is a topic and a command is described as a topic.
  for (const { name, description = '', hidden } of topics) {
    if (isBelow(name) && hidden !== true) rows.set(name.slice(prefix.length), description);
  }
  return rows;
}

function listText(title: string, topic: string, rows: ReadonlyMap<string, string>): string {
  const program = ['svc', ...topic.split(':')].join(' ').trim();
  const width = Math.max(...[...rows.keys()].map((name) => name.length));
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  const short = topic === '' ? ', or svc "a question"' : '';
  const usage = `Usage: ${program} COMMAND [ARGUMENT] [--flag value]${short}`;
  const footer = `Run ${program} COMMAND --help for details.`;
  // A terminal of 24 lines shows all of it, with the prompt.
  return `${[title, usage, ...lines, '', footer].join('\n')}\n`;
}
