import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';

/** What else a flag may have, besides what it takes. */
type More<T> = Partial<Pick<T, keyof T & ('aliases' | 'char' | 'dependsOn' | 'exclusive')>>;
type MoreOfFlag = More<ReturnType<typeof Flags.boolean>>;

/** Examples of a command, each without its name: `''` is the command alone. */
export function examples(...lines: readonly string[]): string[] {
  return lines.map((line) => `<%= config.bin %> <%= command.id %> ${line}`.trimEnd());
}

/** A flag that is given or not. */
export function booleanFlag(summary: string, more: MoreOfFlag = {}) {
  return Flags.boolean({ summary, ...more });
}

/** A flag that takes a text. @param helpValue what it stands for in help */
export function textFlag(summary: string, helpValue: string, more: MoreOfFlag = {}) {
  return Flags.string({ summary, helpValue, ...more });
}

/** A flag that takes a whole number. */
export function numberFlag(
  summary: string,
  helpValue: string,
  more: MoreOfFlag & { readonly min?: number; readonly max?: number } = {},
) {
  return Flags.integer({ summary, helpValue, ...more });
}

/** An argument that has to be given. */
export function argument(description: string) {
  return Args.string({ required: true, description });
}

/** An argument that can be left out. */
export function optionalArgument(description: string) {
  return Args.string({ description });
}

/** A flag that takes one of some words, once or more. */
export function choicesFlag<const T extends readonly string[]>(
  options: T,
  summary: string,
  helpValue?: string,
) {
  const shown = helpValue === undefined ? {} : { helpValue };
  return Flags.option({ options, multiple: true, summary, ...shown })();
}

/** A flag that takes a text, once or more; words that follow one are not taken for more of them. */
export function textsFlag(summary: string, helpValue: string) {
  return Flags.string({ summary, helpValue, multiple: true, multipleNonGreedy: true });
}
