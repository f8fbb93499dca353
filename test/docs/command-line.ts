import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isThere, ROOT } from './pages.js';

const flagSchema = z.object({
  name: z.string(),
  char: z.optional(z.string()),
  type: z.enum(['boolean', 'option']),
  options: z.optional(z.array(z.string())),
  env: z.optional(z.string()),
  multiple: z.optional(z.boolean()),
  helpValue: z.optional(z.string()),
  summary: z.optional(z.string()),
});
/** A flag as the manifest lists it. */
export type Flag = z.infer<typeof flagSchema>;

const commandSchema = z.object({
  id: z.string(),
  aliases: z.array(z.string()),
  hidden: z.optional(z.boolean()),
  strict: z.boolean(),
  args: z.record(
    z.string(),
    z.object({ required: z.optional(z.boolean()), description: z.string() }),
  ),
  flags: z.record(z.string(), flagSchema),
  examples: z.optional(z.array(z.string())),
});
/** A command as the manifest lists it. */
export type Command = z.infer<typeof commandSchema>;

const manifestSchema = z.object({ commands: z.record(z.string(), commandSchema) });
const names = z.record(z.string(), z.string());
const packageSchema = z.object({
  scripts: names,
  dependencies: names,
  optionalDependencies: names,
  devDependencies: names,
});
const packageJson = packageSchema.parse(readJson('package.json'));

/** The program's own commands that people type. */
export const COMMANDS = readManifest('oclif.manifest.json').filter(({ hidden }) => hidden !== true);
const ALL_COMMANDS = [
  ...COMMANDS,
  ...readManifest('node_modules/@oclif/plugin-help/oclif.manifest.json'),
];
/** The scripts of package.json. */
export const SCRIPTS = packageJson.scripts;
/** The packages it asks for, those of development included. */
export const DEPENDENCIES = Object.keys({
  ...packageJson.dependencies,
  ...packageJson.optionalDependencies,
  ...packageJson.devDependencies,
});

function readManifest(path: string): readonly Command[] {
  return Object.values(manifestSchema.parse(readJson(path)).commands);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'|;<>&])+|[|;<>&]+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/** The words of the first command of a shell line, without quotes, comments and assignments. */
export function wordsOf(line: string): readonly string[] {
  const words = line.replace(/^\$ /, '').match(WORD) ?? [];
  const end = words.findIndex((word) => /^(?:[|;<>&]|#)/.test(word));
  const own = (end === -1 ? words : words.slice(0, end)).map((word) =>
    word.replaceAll(QUOTED, (_, double, single) => double ?? single ?? ''),
  );
  const start = own.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return start === -1 ? [] : own.slice(start);
}

/** What is wrong with a shell line about svc, npm or node; undefined when nothing is. */
export function faultOf(words: readonly string[]): string | undefined {
  const [program, ...rest] = words;
  if (program === 'svc') return faultOfSvc(rest);
  if (program === 'npm') return faultOfNpm(rest);
  if (program === 'node') return faultOfNode(rest);
  return undefined;
}

function faultOfNpm([verb = '', ...rest]: readonly string[]): string | undefined {
  if (verb === 'start') return faultOfSvc(rest[0] === '--' ? rest.slice(1) : rest);
  const script = verb === 'run' ? rest[0] : verb === 'test' ? verb : undefined;
  if (script !== undefined) return script in SCRIPTS ? undefined : `no script ${script}`;
  return ['ci', 'install', 'uninstall', 'pack'].includes(verb) ? undefined : `npm ${verb}`;
}

function faultOfNode(words: readonly string[]): string | undefined {
  const file = words.find((word) => /\.[jt]sx?$/.test(word));
  return file === undefined || isThere(file) ? undefined : `there is no ${file}`;
}

function faultOfSvc(words: readonly string[]): string | undefined {
  if (/\s/.test(words[0] ?? '')) return faultOfSvc(['memory', 'search', ...words]);
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const leading = end === -1 ? words : words.slice(0, end);
  for (let count = leading.length; count > 0; count--) {
    const id = leading.slice(0, count).join(':');
    const command = ALL_COMMANDS.find((one) => one.id === id || one.aliases.includes(id));
    if (command !== undefined) return faultOfArguments(command, words.slice(count));
  }
  const isTopic = COMMANDS.some(({ id }) => id.startsWith(`${leading.join(':')}:`));
  if (leading.length > 0 && !isTopic) return `no command ${leading.slice(0, 2).join(' ')}`;
  const flags = words.slice(leading.length);
  const known = flags.every((flag) => ['--help', '-h', '--version', '-v'].includes(flag));
  return known ? undefined : `no command before ${flags.join(' ')}`;
}

function faultOfArguments(command: Command, words: readonly string[]): string | undefined {
  if (words.includes('--help') || words.includes('-h')) return undefined;
  let positional = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!/^-\D/.test(word)) {
      positional += 1;
      continue;
    }
    const [name = '', value] = word.split('=', 2);
    const flag = flagNamed(command, name);
    if (flag === undefined) return `${command.id} has no flag ${name}`;
    if (flag.type === 'boolean') continue;
    const given = value ?? words[++at];
    if (given === undefined) return `${name} needs a value`;
    if (flag.options?.includes(given) === false) return `${name} does not take ${given}`;
  }
  const args = Object.values(command.args);
  if (command.strict && positional > args.length) return `${command.id}: too many arguments`;
  const required = args.filter((arg) => arg.required === true).length;
  return positional < required ? `${command.id}: an argument is missing` : undefined;
}

function flagNamed(command: Command, name: string): Flag | undefined {
  return Object.values(command.flags).find(
    (flag) => `--${flag.name}` === name || `-${flag.char ?? ''}` === name,
  );
}
