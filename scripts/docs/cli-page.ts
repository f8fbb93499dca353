import { nameOf } from './command-words.js';
import type { ManifestCommand, ManifestFlag } from './manifest.js';
import { GENERATED, prose, table } from './markdown.js';

/** docs/cli.md: the structure of a command line, and the flags of all commands. */
export function cliPage(commands: readonly ManifestCommand[]): string {
  const uses = commands.flatMap((command) =>
    Object.values(command.flags).map((flag): FlagUse => ({ command, flag })),
  );
  const names = [...new Set(uses.map(({ flag }) => flag.name))].sort();
  const rows = names.flatMap((name) =>
    rowsOf(
      uses.filter(({ flag }) => flag.name === name),
      commands.length,
    ),
  );
  const parts = [
    `${GENERATED}\n`,
    '# The command line\n',
    'A command line is a command of one or more words, its arguments, and flags in any order:',
    '`svc TOPIC VERB [ARGUMENT] [--flag value]`. Nothing after `--` is read as a flag.',
    '[commands.md](commands.md) describes each command in full.\n',
    '- A flag that several commands share has the same name, the same letter and the same kind of value',
    '  in each. If its effect differs by command, each effect has its own row below.',
    '- A value follows after a space or after `=`.',
    '- A flag can be set by an environment variable: `SVC_` and its name in capitals, with `_` for `-`.',
    '  `--max-results` is also `SVC_MAX_RESULTS`. The flag overrides the variable. A switch is on when its',
    '  variable is `1`, `true`, `y` or `yes`. Flags that confirm, replace or delete have no variable.',
    '- `svc`, `svc TOPIC` and `svc COMMAND` with `-h` or `--help` show help. `svc --version` and `svc -v`',
    '  print the version; after a command, `-v` is `--verbose`.',
    '- A mistyped command or flag gets a suggestion: `did you mean "svc memory search"?`\n',
    '## Short forms and aliases\n',
    table(
      ['short', 'same as'],
      [
        ['`svc "who owns billing"`', '`svc memory search "who owns billing"`'],
        ...commands.flatMap(({ id, aliases = [] }) =>
          aliases.map((alias) => [`\`${nameOf({ id: alias })}\``, `\`${nameOf({ id })}\``]),
        ),
      ],
    ),
    '\nUnquoted words are one query: `svc search who owns billing` searches for all four words. A quoted',
    'argument with a space that is not a command is a question.\n',
    '## Flags and their commands\n',
    table(['flag', 'value', 'meaning', 'commands'], rows),
  ];
  return `${parts.join('\n')}\n`;
}

interface FlagUse {
  readonly command: ManifestCommand;
  readonly flag: ManifestFlag;
}

/** One row for each meaning of a flag. */
function rowsOf(uses: readonly FlagUse[], commandCount: number): readonly (readonly string[])[] {
  const meanings = new Map<string, FlagUse[]>();
  for (const use of uses) {
    const meaning = `${prose(use.flag.summary ?? '')}\n${valueCell(use.flag)}`;
    meanings.set(meaning, [...(meanings.get(meaning) ?? []), use]);
  }
  return [...meanings].map(([key, same]) => {
    const [meaning = '', value = ''] = key.split('\n');
    const where = same.length === commandCount ? 'all' : commandList(same);
    return [spellings(same), value, meaning, where];
  });
}

/** The short flag, the name and its aliases. */
function spellings(uses: readonly FlagUse[]): string {
  const letters = uses.flatMap(({ flag }) => (flag.char === undefined ? [] : [`-${flag.char}`]));
  const others = uses.flatMap(({ flag }) => flag.aliases ?? []).map((alias) => `--${alias}`);
  const all = [...letters, `--${uses[0]?.flag.name ?? ''}`, ...others];
  return [...new Set(all)].map((spelling) => `\`${spelling}\``).join(', ');
}

/** The value of a flag; empty for a boolean flag. */
function valueCell(flag: ManifestFlag): string {
  if (flag.type === 'boolean') return '';
  const placeholder = typeof flag.helpValue === 'string' ? flag.helpValue : 'N';
  const values = (flag.options ?? [placeholder]).map((value) => `\`${value}\``).join(', ');
  return flag.multiple === true ? `${values}; may be repeated` : values;
}

/** Commands grouped by topic: "dream, dream list · run; memory search". */
function commandList(uses: readonly FlagUse[]): string {
  const topics = new Map<string, string[]>();
  for (const { command } of uses) {
    const words = command.id.split(':');
    const topic = words.slice(0, -1).join(' ');
    topics.set(topic, [...(topics.get(topic) ?? []), linkTo(command, words.at(-1) ?? '')]);
  }
  return [...topics]
    .map(([topic, links]) => `${topic === '' ? '' : `${topic} `}${links.join(' · ')}`)
    .join('; ');
}

function linkTo({ id }: ManifestCommand, word: string): string {
  return `[${word}](commands.md#svc-${id.replaceAll(':', '-')})`;
}
