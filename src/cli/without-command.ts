import { SvcError } from '../engine/errors/index.js';
import { createSecretMask, environmentSecrets } from '../engine/masking/index.js';
import { shellWord, suggestName } from '../engine/support/text.js';
import { wordsBeforeDashes } from './fast-start.js';
import {
  type ManifestCommand,
  type ProgramPackage,
  readManifest,
  readPackage,
} from './manifest.js';
import { print, printJson } from './print.js';
import { exitCodeOf, formatErrorText, reportError } from './report-error.js';
import { writeStderr } from './stderr.js';

/**
 * Answers a command line that names no command to run: the version, a list of commands, or an unknown word. Help of a
 * command and what else oclif understands goes through its own start.
 *
 * @param root absolute path of the package
 */
export async function answerWithoutCommand(
  argv: readonly string[],
  root: string,
  development: boolean,
): Promise<void> {
  try {
    const about = readPackage(root);
    if (['--version', '-v'].includes(argv[0] ?? '')) {
      print(`${await versionLine(about)}\n`);
      return;
    }
    const commands = readManifest(root);
    const known = knownWords(about, commands);
    const list = commandList(argv, about, known);
    if (list !== undefined) {
      print(list);
      return;
    }
    refuseUnknownCommand(argv, known);
    const { runWithOclif } = await import('./run-with-oclif.js');
    await runWithOclif(asFlag(argv, known), { root, about, commands }, development);
  } catch (error) {
    const mask = createSecretMask(environmentSecrets(process.env));
    const report = reportError(error, mask);
    process.exitCode = exitCodeOf(report);
    if (argv.includes('--json')) printJson(`${JSON.stringify({ error: report }, null, 2)}\n`);
    else writeStderr(formatErrorText(report));
  }
}

/** As oclif describes the program and its machine, without its plugins. */
async function versionLine({ name, version }: ProgramPackage): Promise<string> {
  const { default: isWsl } = await import('is-wsl');
  const platform = isWsl ? 'wsl' : process.platform;
  const arch = process.arch === 'ia32' ? 'x86' : process.arch;
  return `${name}/${version} ${platform}-${arch} node-${process.version}`;
}

interface KnownCommand {
  readonly summary: string;
  readonly isAlias: boolean;
  readonly hidden: boolean;
}

/** What can be typed, by oclif's ids; what is both a command and a topic is in both. */
type KnownWords = ReturnType<typeof knownWords>;

/** As in oclif's configuration, which takes longer to load than to print the list of commands. */
export function knownWords(
  { oclif }: ProgramPackage,
  listed: Readonly<Record<string, ManifestCommand>>,
) {
  const commands = new Map<string, KnownCommand>();
  /** With what the topic is for. */
  const topics = new Map(
    Object.entries(oclif.topics).map(([name, { description }]) => [name, description]),
  );
  for (const [id, { summary = '', aliases, hidden }] of Object.entries(listed)) {
    commands.set(id, { summary, isAlias: false, hidden });
    for (const alias of aliases) commands.set(alias, { summary, isAlias: true, hidden: false });
    // Every command counts as a topic too, and so does every beginning of its words.
    const words = hidden ? [] : id.split(':');
    for (let count = words.length; count > 0; count--) {
      const name = words.slice(0, count).join(':');
      if (!topics.has(name)) topics.set(name, summary);
    }
  }
  commands.set(HELP, { summary: '', isAlias: false, hidden: false });
  topics.set(HELP, '');
  return { commands, topics };
}

/** The command of oclif's help plugin. */
const HELP = 'help';

/** @throws SvcError USAGE if the words name neither a command nor a topic */
function refuseUnknownCommand(line: readonly string[], known: KnownWords): void {
  const asksHelp = line[0] === HELP;
  const argv = asksHelp ? line.slice(1) : line;
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words.length === 0) {
    throw new SvcError('USAGE', `unknown flag: ${argv[0]}`, {
      hint: 'flags follow the command; "svc --help" lists the commands',
    });
  }
  if (beginsWithCommand(words, known)) return;
  const ids = [...known.commands.keys(), ...known.topics.keys()];
  const at = words.findIndex((_, index) => !ids.includes(words.slice(0, index + 1).join(':')));
  if (at !== -1) throw unknownCommand(words, at, ids, asksHelp);
}

function beginsWithCommand(words: readonly string[], { commands, topics }: KnownWords): boolean {
  return words.some((_, at) => {
    const id = words.slice(0, at + 1).join(':');
    const command = commands.get(id);
    // "dream" is short for a command, and "dream stauts" a mistyped command of the topic.
    const isShort = command?.isAlias === true && topics.has(id);
    const below = `${id}:${words[at + 1]}`;
    // "mcp" is a command, and "mcp token" a topic.
    const isTopic = topics.has(below) && !commands.has(below);
    return command !== undefined && !isTopic && (!isShort || at === words.length - 1);
  });
}

/** @param at position of the first unknown word */
function unknownCommand(
  words: readonly string[],
  at: number,
  ids: readonly string[],
  asksHelp: boolean,
): SvcError {
  const topic = words.slice(0, at).join(' ');
  const list = `"svc ${topic === '' ? '' : `${topic} `}--help" lists the commands`;
  // It may be a question without quotes.
  const generalHint =
    topic === '' && !asksHelp
      ? `to search, run "svc search ${words.map(shellWord).join(' ')}"; ${list}`
      : list;
  const suggestions = suggestCommands(words.slice(0, at), words[at] ?? '', ids);
  const commands = suggestions.map((id) => `"svc ${id.replaceAll(':', ' ')}"`).join(' or ');
  return new SvcError('USAGE', `unknown command: ${words.slice(0, at + 1).join(' ')}`, {
    hint: commands === '' ? generalHint : `did you mean ${commands}?`,
  });
}

/** The commands that were probably meant by an unknown word after a topic. */
function suggestCommands(
  topic: readonly string[],
  typed: string,
  ids: readonly string[],
): readonly string[] {
  const prefix = topic.map((word) => `${word}:`).join('');
  // Quoted as one word, or without its topic: "svc doctor" is meant for "svc config doctor".
  const quoted = typed.trim().replaceAll(/\s+/gu, ':');
  const elsewhere = ids.filter((id) => id === quoted || id.split(':').at(-1) === typed);
  const below = topic.length === 0 ? [] : elsewhere.filter((id) => id.startsWith(prefix));
  const exact = [...new Set(below.length > 0 ? below : elsewhere)];
  // "svc list" could mean a dozen commands, and is not a mistyped one.
  if (exact.length > 0) return exact.length <= MOST_SUGGESTED ? exact : [];
  const siblings = ids
    .filter((id) => id.startsWith(prefix))
    .map((id) => id.slice(prefix.length).split(':')[0] ?? '');
  const near = suggestName(typed, siblings);
  return near === undefined ? [] : [`${prefix}${near}`];
}

const MOST_SUGGESTED = 3;

/** `svc help COMMAND` as `svc COMMAND --help`, which prints the same without the help plugin and all of oclif. */
function asFlag(argv: readonly string[], { commands }: KnownWords): readonly string[] {
  const [first, ...words] = argv;
  const id = words.join(':');
  return first === HELP && id !== HELP && commands.has(id) ? [...words, '--help'] : argv;
}

const HELP_WORDS: readonly string[] = ['--help', '-h', HELP];

/**
 * The commands of svc, or of the topic that a command line names; undefined when it names something else. oclif
 * lists commands and topics apart, so that what is both appears twice, and its list needs more than 24 lines.
 */
function commandList(
  argv: readonly string[],
  about: ProgramPackage,
  known: KnownWords,
): string | undefined {
  const words = wordsBeforeDashes(argv).filter((word) => !HELP_WORDS.includes(word));
  const topic = words.join(':');
  if (topic === '') {
    const rows = rowsOf('', known);
    for (const name of UNLISTED) rows.delete(name);
    return listText(about.description, '', rows);
  }
  const purpose = known.topics.get(topic);
  if (purpose === undefined || known.commands.has(topic)) return undefined;
  return listText(purpose, topic, rowsOf(topic, known));
}

/** Not listed at the top, where every line counts: what `svc` alone, `--help` and `--version` do too. */
const UNLISTED = [HELP, 'ui', 'version'];

/** What each command and topic directly below a topic does, by name. */
function rowsOf(topic: string, { commands, topics }: KnownWords): Map<string, string> {
  const prefix = topic === '' ? '' : `${topic}:`;
  const isBelow = (id: string): boolean =>
    id.startsWith(prefix) && !id.slice(prefix.length).includes(':');
  const rows = new Map<string, string>();
  for (const [id, { summary, isAlias, hidden }] of commands) {
    // Short forms of commands are not listed at the top, where every line counts.
    if (!isBelow(id) || hidden || (topic === '' && isAlias)) continue;
    rows.set(id.slice(prefix.length), summary);
  }
  // What is a topic and a command is described as a topic.
  for (const [name, purpose] of topics) {
    if (isBelow(name)) rows.set(name.slice(prefix.length), purpose);
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
