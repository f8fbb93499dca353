import { leadsToLoopback } from '../loopback.js';
import type { Rule } from './finding.js';

const NOTIFY = ['flows', 'notify'] as const;

/** Notifications go to one place, and over a network only signed and encrypted. */
export const notifyIsOneAndSafe: Rule = function* (input) {
  const { command, url, secret } = input.flows?.notify ?? {};
  if (url === undefined) return;
  if (command !== undefined) {
    yield {
      severity: 'fault',
      code: 'notify-ambiguous',
      path: [...NOTIFY, 'url'],
      related: [[...NOTIFY, 'command']],
      message: 'notifications go to a command or to an address, and both are given',
      expected: 'one of the two; a command can post them as well',
    };
  }
  if (secret === undefined) {
    yield {
      severity: 'fault',
      code: 'notify-unsigned',
      path: [...NOTIFY, 'url'],
      message: 'notifications are posted signed, and there is no key to sign them with',
      expected: 'flows.notify.secret beside it, best as a reference like env:NAME',
    };
  }
  if (isPlainAndFar(url)) {
    yield {
      severity: 'fault',
      code: 'notify-insecure',
      path: [...NOTIFY, 'url'],
      message: 'notifications would go to another machine unencrypted',
      expected: 'an address that begins with https://; http:// only for this machine, as 127.0.0.1',
    };
  }
};

function isPlainAndFar(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  return parsed.protocol === 'http:' && !leadsToLoopback(parsed);
}
