import type { ManifestCommand, ManifestFlag } from './manifest.js';
import { GENERATED, prose, table } from './markdown.js';

/** docs/cli.md: how a command line is put together, and which flag is known to which command. */
export function cliPage(commands: readonly ManifestCommand[]): string {
  const uses = commands.flatMap((command) =>
    Object.values(command.flags).map((flag): Use => ({ command, flag })),
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
    'A command is one word or a few, then its argument, then flags, in any order:',
    '`svc TOPIC VERB [ARGUMENT] [--flag value]`. What stands after `--` is never read as a flag. Every',
    'command with its flags in full is in [commands.md](commands.md).\n',
    '- One word means one thing: a flag that several commands have is written the same in each, takes',
    '  the same kind of value and has the same letter. Where what it does differs by command, each has',
    '  its row.',
    '- Every flag can be set by a variable: `SVC_` and its name in capitals, `_` for `-`, so that',
    '  `--max-results` is `SVC_MAX_RESULTS` as well. What is typed wins. A switch is on when its variable',
    '  is `1`, `true`, `y` or `yes`.',
    '- `-h` and `--help` show help for a command or a topic; `svc --version` the version.',
    '- A value may follow after a space or after `=`.\n',
    '## Flags and the commands that know them\n',
    table(['flag', 'value', 'meaning', 'commands'], rows),
  ];
  return `${parts.join('\n')}\n`;
}

interface Use {
  readonly command: ManifestCommand;
  readonly flag: ManifestFlag;
}

/** One row for each meaning that a flag has. */
function rowsOf(uses: readonly Use[], commandCount: number): readonly (readonly string[])[] {
  const meanings = new Map<string, Use[]>();
  for (const use of uses) {
    const meaning = `${prose(use.flag.summary ?? '')}\n${takes(use.flag)}`;
    meanings.set(meaning, [...(meanings.get(meaning) ?? []), use]);
  }
  return [...meanings].map(([key, same]) => {
    const [meaning = '', value = ''] = key.split('\n');
    const where = same.length === commandCount ? 'all' : commandList(same);
    return [spellings(same), value, meaning, where];
  });
}

/** The letter before the name, and after it what it may be called as well. */
function spellings(uses: readonly Use[]): string {
  const letters = uses.flatMap(({ flag }) => (flag.char === undefined ? [] : [`-${flag.char}`]));
  const others = uses.flatMap(({ flag }) => flag.aliases ?? []).map((alias) => `--${alias}`);
  const all = [...letters, `--${uses[0]?.flag.name ?? ''}`, ...others];
  return [...new Set(all)].map((spelling) => `\`${spelling}\``).join(', ');
}

function takes(flag: ManifestFlag): string {
  if (flag.type === 'boolean') return '';
  const named = typeof flag.helpValue === 'string' ? flag.helpValue : 'N';
  const values = (flag.options ?? [named]).map((value) => `\`${value}\``).join(', ');
  return flag.multiple === true ? `${values}; may be repeated` : values;
}

/** The commands, those of one topic together: "dream, dream list · run; memory search". */
function commandList(uses: readonly Use[]): string {
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

function linkTo({ id }: ManifestCommand, shown: string): string {
  return `[${shown}](commands.md#svc-${id.replaceAll(':', '-')})`;
}
