import * as Flags from '@oclif/core/flags';

/** Examples of a command, each without its name: `''` is the command alone. */
export function examples(...lines: readonly string[]): string[] {
  return lines.map((line) => `<%= config.bin %> <%= command.id %> ${line}`.trimEnd());
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
