import type { LoginEvent } from '../../engine/embeddings/login/device-flow.js';
import type { LoginOutput, LogoutOutput } from '../../engine/embeddings/output-schemas.js';
import { safeLine } from '../safe-text.js';

/** What a person has to know or do while signing in. */
export function renderLoginEvent(event: LoginEvent): string {
  switch (event.type) {
    case 'code.issued': {
      const minutes = Math.max(1, Math.round(event.lifetimeMs / 60_000));
      return `open ${safeLine(event.verificationUri)} and type the code ${safeLine(event.userCode)}
waiting up to ${minutes} min; Ctrl-C stops\n`;
    }
    case 'poll.failed':
      return `still waiting: ${safeLine(event.why)}\n`;
  }
}

/** A login that worked. */
export function renderLogin({ provider, account, file }: LoginOutput): string {
  const who = account === undefined ? '' : ` as ${safeLine(account)}`;
  return `signed in to ${provider}${who}; the login is kept in ${safeLine(file)}\n`;
}

/** What logging out did. */
export function renderLogout({ provider, file, outcome }: LogoutOutput): string {
  switch (outcome) {
    case 'deleted':
      return `deleted ${safeLine(file)}; GitHub goes on listing it in your settings, under Applications, until you revoke it there\n`;
    case 'kept':
      return `kept ${safeLine(file)}\n`;
    case 'none':
      return `there is no login for ${provider}\n`;
  }
}
