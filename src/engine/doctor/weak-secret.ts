import type { Finding } from './finding.js';

/** Shorter secrets are guessed too easily, in characters (spec/webhooks §2). */
const MIN_CHARACTERS = 24;

/** Whether a secret that people make up is too short. */
export function isWeak(value: string): boolean {
  return value.length < MIN_CHARACTERS;
}

/** What is said of one. @param name which secret it is, never the value */
export function weakness(name: string): Finding {
  return {
    code: 'secret-weak',
    severity: 'warning',
    message: `${name} has fewer than ${MIN_CHARACTERS} characters`,
    cause: 'it can be guessed',
    hint: 'make a new one: svc webhook secret generate',
  };
}
