import {
  argumentsOf,
  exampleOf,
  isGlobal,
  nameOf,
  placeholderOf,
  summaryOf,
} from './command-words.js';
import type { ManifestCommand, ManifestFlag } from './manifest.js';
import { fence, GENERATED, prose, sectionLink, table } from './markdown.js';

/** docs/commands.md, from the manifest. */
export function commandsPage(
  commands: readonly ManifestCommand[],
  plugins: readonly ManifestCommand[],
): string {
  const globalFlags = Object.values(commands[0]?.flags ?? {}).filter(isGlobal);
  const parts = [
    `${GENERATED}\n`,
    '# Commands\n',
    'Every command and flag, as `svc COMMAND --help` shows them. See [errors.md](errors.md) for exit codes',
    'and [json.md](json.md) for JSON output.\n',
    table(
      ['command', 'does'],
      [
        ...commands.map((command) => [linkTo(command), prose(summaryOf(command))]),
        ...plugins.map((command) => [`\`${nameOf(command)}\``, prose(summaryOf(command))]),
      ],
    ),
    '\n## Flags of every command\n',
    'You can also set a flag with the environment variable next to it; the flag takes precedence. A switch',
    'is on if its variable is `1`, `true`, `y` or `yes`.\n',
    flagTable(globalFlags),
    '\n`-h` and `--help` show help, and `svc --version` the version.',
    ...commands.map((command) => `\n${section(command)}`),
  ];
  return `${parts.join('\n')}\n`;
}

function section(command: ManifestCommand): string {
  const flags = Object.values(command.flags).filter((flag) => !isGlobal(flag));
  const args = Object.values(command.args);
  const parts = [`## ${nameOf(command)}\n`, prose(summaryOf(command))];
  if (command.description !== undefined) parts.push(`\n${prose(command.description)}`);
  const aliases = (command.aliases ?? []).map((id) => `\`${nameOf({ id })}\``);
  if (aliases.length > 0) parts.push(`\nAlso ${aliases.join(' and ')}.`);
  parts.push(`\n${fence('text', usageOf(command, flags))}`);
  if (args.length > 0) {
    const rows = args.map((arg) => {
      const name = arg.required === true ? arg.name.toUpperCase() : `[${arg.name.toUpperCase()}]`;
      return [`\`${name}\``, [prose(arg.description ?? ''), ...choicesOf(arg)].join(' ')];
    });
    parts.push(`\n${table(['argument', 'meaning'], rows)}`);
  }
  if (flags.length > 0) parts.push(`\n${flagTable(flags)}`);
  const examples = (command.examples ?? []).map((example) => exampleOf(example, command));
  if (examples.length > 0) parts.push(`\n${fence('sh', examples.join('\n'))}`);
  return parts.join('\n');
}

function flagTable(flags: readonly ManifestFlag[]): string {
  const rows = flags.map((flag) => [
    `${flag.char === undefined ? '' : `\`-${flag.char}\`, `}\`--${flag.name}${placeholderOf(flag)}\``,
    flag.env === undefined ? '' : `\`${flag.env}\``,
    meaningOf(flag, exclusionsOf(flag, flags)),
  ]);
  return table(['flag', 'environment', 'meaning'], rows);
}

function meaningOf(flag: ManifestFlag, others: readonly string[]): string {
  const parts = [prose(flag.summary ?? flag.description ?? '')];
  if (flag.type === 'option') {
    parts.push(...choicesOf(flag));
    if (flag.multiple === true) parts.push('Can be repeated.');
  }
  if (others.length > 0) {
    parts.push(`Not together with ${others.map((other) => `\`--${other}\``).join(' or ')}.`);
  }
  return parts.join(' ');
}

function choicesOf({ options }: { readonly options?: readonly string[] }): readonly string[] {
  return options === undefined
    ? []
    : [`One of ${options.map((option) => `\`${option}\``).join(', ')}.`];
}

/** Names exclusive flags on both sides, whichever declares them. */
function exclusionsOf(flag: ManifestFlag, flags: readonly ManifestFlag[]): readonly string[] {
  const declared: readonly string[] = flag.exclusive ?? [];
  const others = flags.filter((other) => other.exclusive?.includes(flag.name) === true);
  return [...new Set([...declared, ...others.map((other) => other.name)])];
}

function usageOf(command: ManifestCommand, own: readonly ManifestFlag[]): string {
  const args = argumentsOf(command);
  const flags = own.map((flag) => `[--${flag.name}${placeholderOf(flag)}]`);
  return wrapWords([nameOf(command), ...args, ...flags], 88);
}

function wrapWords(words: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.join('\n');
}

function linkTo(command: ManifestCommand): string {
  const name = nameOf(command);
  return sectionLink(name, `\`${name}\``);
}
