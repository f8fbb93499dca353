/**
 * Why a secret cannot be had. Becomes an SvcError where it leaves this room. It carries no cause:
 * the errors of JSON.parse quote what they read, and those of spawn hold the arguments.
 */
export class SecretFault extends Error {
  /** What to do about it. */
  readonly hint: string;

  /** @param why words that end a sentence, never with a value in them */
  constructor(why: string, hint: string) {
    super(why);
    this.name = 'SecretFault';
    this.hint = hint;
  }
}

/** What a provider has for an id: the value, which is not empty, or why there is none. */
export type SecretLookup = (id: string) => string | SecretFault;

/** Where a provider is configured, as `svc config set` takes it. */
export function placeOf(alias: string): string {
  return `secrets.providers.${alias}`;
}

/** Words for settings that are changed by hand: a command to type. */
export function setCommand(alias: string, key: string, value: string): string {
  return `svc config set ${placeOf(alias)}.${key} ${value}`;
}
