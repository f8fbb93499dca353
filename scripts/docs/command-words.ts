import type { ManifestCommand, ManifestFlag } from './manifest.js';

const GLOBAL = 'GLOBAL';

/** Whether every command has this flag. */
export function isGlobal(flag: ManifestFlag): boolean {
  return flag.helpGroup === GLOBAL;
}

/** A command as it is typed. */
export function nameOf({ id }: Pick<ManifestCommand, 'id'>): string {
  return `svc ${id.replaceAll(':', ' ')}`;
}

/** What it does, in a sentence. */
export function summaryOf(command: ManifestCommand): string {
  return filledIn(command.summary ?? command.description?.split('\n')[0] ?? '', command);
}

/** Its arguments as help shows them. */
export function argumentsOf(command: ManifestCommand): readonly string[] {
  return Object.values(command.args).map((arg) => {
    const name = `${arg.name.toUpperCase()}${command.strict === false ? '...' : ''}`;
    return arg.required === true ? name : `[${name}]`;
  });
}

/** The placeholder of a flag's value with a leading space; empty for a boolean flag. */
export function placeholderOf(flag: ManifestFlag): string {
  if (flag.type === 'boolean') return '';
  const { helpValue } = flag;
  return ` ${typeof helpValue === 'string' ? helpValue : flag.options === undefined ? 'N' : 'NAME'}`;
}

/** An example as typed. */
export function exampleOf(
  example: NonNullable<ManifestCommand['examples']>[number],
  command: ManifestCommand,
): string {
  const text = typeof example === 'string' ? example : example.command;
  return filledIn(text, command).replace(/^\$ /, '');
}

/** oclif's placeholders. */
function filledIn(text: string, command: ManifestCommand): string {
  return text
    .replaceAll('<%= config.bin %>', 'svc')
    .replaceAll('<%= command.id %>', command.id.replaceAll(':', ' '));
}
