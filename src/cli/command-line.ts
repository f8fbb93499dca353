import { asSvcError, messageOf, SvcError } from '../engine/errors/index.js';
import { wordsBeforeDashes } from './fast-start.js';
import { HELP_HINT } from './report-error.js';

/**
 * Flags that confirm, replace, delete or override a refusal, and those that shape the output: an exported variable
 * would do so in every command from then on.
 */
const WITHOUT_VARIABLE: ReadonlySet<string> = new Set([
  'again',
  'all',
  'allow-secret',
  'existing',
  'fields',
  'finish',
  'fix',
  'force',
  'forget',
  'from-file',
  'jq',
  'last',
  'remove',
  'rollback',
  'template',
  'undo',
  'yes',
]);

/** Gives each flag its environment variable, unless it must not have one: `--max-results` is `SVC_MAX_RESULTS`. */
export function assignVariables(flags: Readonly<Record<string, { env?: string }>>): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (!WITHOUT_VARIABLE.has(name)) flag.env = variableOf(name);
  }
}

/** The environment variable of a flag. @param name without dashes in front */
export function variableOf(name: string): string {
  return `SVC_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** What is known of a flag; both oclif's definitions and the manifest have it. */
interface KnownFlag {
  readonly type: 'boolean' | 'option';
  readonly char?: string | undefined;
  readonly multiple?: boolean | undefined;
  readonly env?: string | undefined;
}

/** What a command knows, by name. */
export interface KnownWords {
  readonly flags: Readonly<Record<string, KnownFlag>>;
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] | undefined }>>;
}

/** The words after the name of a command: what oclif's parser does not know of them, or gets wrong. */
export class CommandLine {
  readonly words: readonly string[];
  private readonly known: KnownWords;

  constructor(words: readonly string[], known: KnownWords) {
    this.words = [...words];
    this.known = known;
  }

  /** Whether a flag was typed, and not only set by its variable. */
  isTyped(name: string): boolean {
    const switches = Object.values(this.known.flags).map((flag) =>
      flag.type === 'boolean' ? (flag.char ?? '') : '',
    );
    const char = this.known.flags[name]?.char;
    // What follows another letter than that of a switch is its value: "-wdata" has no "-a".
    const short = char === undefined ? '' : `|-[${switches.join('')}]*${char}`;
    const forms = new RegExp(`^(?:--${name}(?:=|$)${short})`);
    return wordsBeforeDashes(this.words).some((word) => forms.test(word));
  }

  /**
   * The words for oclif's parser, with the values from the variables of repeatable flags that were not typed:
   * `SVC_TAG=a,b` is `--tag=a --tag=b`. oclif would pass the text of the variable on instead of a list.
   *
   * @throws SvcError USAGE for a switch with a value
   */
  forParser(env: Readonly<Record<string, string | undefined>>): string[] {
    this.refuseSwitchValues();
    const listed = Object.entries(this.known.flags).flatMap(([name, flag]) => {
      if (flag.type !== 'option' || !flag.multiple || flag.env === undefined) return [];
      const text = env[flag.env] ?? '';
      if (text === '' || this.isTyped(name)) return [];
      const values = text.split(',').map((value) => value.trim());
      const nonEmpty = values.filter((value) => value !== '');
      // Only commas: passed on as they are, so that the error is about this value.
      return (nonEmpty.length === 0 ? [text] : nonEmpty).map((value) => `--${name}=${value}`);
    });
    return [...listed, ...this.words];
  }

  /** oclif would turn on the switch of `--yes=no`, and take its value as an argument. */
  private refuseSwitchValues(): void {
    const flagWords = wordsBeforeDashes(this.words).filter((word) => word.includes('='));
    for (const [name, { type, char }] of Object.entries(this.known.flags)) {
      if (type !== 'boolean') continue;
      const word = flagWords.find(
        (one) => one.startsWith(`--${name}=`) || one.startsWith(`-${char}=`),
      );
      if (word === undefined) continue;
      const value = word.slice(word.indexOf('=') + 1);
      throw new SvcError('USAGE', `--${name} takes no value (got "${value}")`, {
        hint: `pass --${name} alone, or leave it out`,
      });
    }
  }

  /** An error of oclif's parser, with the argument it is about and the variables that set the flags it is about. */
  explained(error: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
    return this.withVariables(this.withArgument(error), env);
  }

  /** About a value that an argument cannot have: the parser does not name the argument. */
  private withArgument(error: unknown): unknown {
    const [, value, values] = /^Expected (.*) to be one of: (.*)$/mu.exec(messageOf(error)) ?? [];
    const [name] =
      Object.entries(this.known.args).find(([, arg]) => arg.options?.join(', ') === values) ?? [];
    if (name === undefined || values === undefined) return error;
    const message = `${name.toUpperCase()} must be one of: ${values} (got "${value}")`;
    return new SvcError('USAGE', message, { cause: error, hint: HELP_HINT });
  }

  private withVariables(
    error: unknown,
    env: Readonly<Record<string, string | undefined>>,
  ): unknown {
    const message = messageOf(error);
    const named = new Set(Array.from(message.matchAll(/--([\w-]+)/gu), ([, name = '']) => name));
    const variables = [...named]
      .filter((name) => !this.isTyped(name))
      .flatMap((name) => this.known.flags[name]?.env ?? [])
      .filter((variable) => env[variable]);
    if (variables.length === 0) return error;
    const hints = [
      asSvcError(error)?.hint ?? [],
      `set in the environment: ${variables.join(', ')}`,
    ].flat();
    return new SvcError('USAGE', message, { cause: error, hint: hints.join('; ') });
  }
}
