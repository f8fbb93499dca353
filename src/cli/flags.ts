import * as Flags from '@oclif/core/flags';
import type { FlagInput } from '@oclif/core/interfaces';

/**
 * Gives every flag its environment twin: `--max-results` is also `SVC_MAX_RESULTS`. A rule, so
 * that no command can forget it.
 */
export function withEnvironment<T extends FlagInput>(flags: T): T {
  for (const [name, flag] of Object.entries(flags)) {
    flag.env = `SVC_${name.replaceAll('-', '_').toUpperCase()}`;
  }
  return flags;
}

/** Flags that every command has (cli.md: the same word means the same thing everywhere). */
export const globalFlags = withEnvironment({
  config: Flags.string({
    summary: 'Use this configuration file and look for no other.',
    helpValue: 'FILE',
    helpGroup: 'GLOBAL',
  }),
  json: Flags.boolean({
    summary: 'Print the result as one JSON document on stdout.',
    helpGroup: 'GLOBAL',
  }),
  plain: Flags.boolean({
    summary: 'No screen, lines only (implied without a terminal).',
    helpGroup: 'GLOBAL',
  }),
  quiet: Flags.boolean({
    char: 'q',
    summary: 'Say less on stderr.',
    helpGroup: 'GLOBAL',
    exclusive: ['verbose'],
  }),
  verbose: Flags.boolean({
    char: 'v',
    summary: 'Say more on stderr.',
    helpGroup: 'GLOBAL',
  }),
});

/** Which agent, or which folder, a memory command works on. */
export const targetFlags = withEnvironment({
  agent: Flags.string({ char: 'a', summary: 'The agent whose memory is meant.', helpValue: 'ID' }),
  workspace: Flags.string({
    char: 'w',
    summary: 'Any folder of Markdown, without configuration.',
    helpValue: 'DIR',
  }),
});

/** For commands that ask before they act. */
export const yesFlag = withEnvironment({
  yes: Flags.boolean({ char: 'y', summary: 'Ask no questions.' }),
});
