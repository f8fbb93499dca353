import { leadsToLoopback } from '../../support/network.js';
import { suggestName } from '../../support/text.js';
import { type ConfigPath, formatPath } from '../config-path.js';
import type { ConfigInput, NotifyInput } from '../schema/index.js';
import { fault, type Rule, repeats, warning, writtenRoutes } from './rule.js';

const NOTIFY: ConfigPath = ['flows', 'notify'];

/** A receiver is a program or a URL; over a network, notifications must be signed and encrypted. */
export const receiversAreSafe: Rule = function* (input) {
  for (const { path, receiver, isNeeded } of writtenReceivers(input)) {
    const { command, url, secret } = receiver;
    if (url === undefined) {
      if (secret !== undefined) {
        yield warning('setting-unused', [...path, 'secret'], {
          message: `${formatPath([...path, 'secret'])} has no effect: only what is posted to a url is signed`,
        });
      }
      if (command !== undefined || !isNeeded) continue;
      yield fault('missing-key', path, {
        message: `${formatPath(path)} has neither a command nor a url`,
        expected: 'a command, or a url with a secret',
      });
      continue;
    }
    if (command !== undefined) {
      yield fault('notify-ambiguous', [...path, 'url'], {
        related: [[...path, 'command']],
        message: `${formatPath(path)} has both a command and a url`,
        expected: 'only one of them; a command can post notifications too',
      });
    }
    if (secret === undefined) {
      yield fault('notify-unsigned', [...path, 'url'], {
        message: `${formatPath([...path, 'url'])} needs a secret to sign notifications`,
        expected: `${formatPath([...path, 'secret'])}, preferably a reference like env:NAME`,
      });
    }
    if (isPlainAndFar(url)) {
      yield fault('notify-insecure', [...path, 'url'], {
        message: 'notifications would be sent to another machine unencrypted',
        expected: 'an https:// URL, or http:// for this machine (127.0.0.1)',
      });
    }
  }
};

/** Pending notifications are stored by the id of their target. */
export const targetsAreDistinct: Rule = function* ({ flows }) {
  const { targets = [], command, url } = flows?.notify ?? {};
  const isOne = command !== undefined || url !== undefined;
  const targetIds = [
    ...(isOne ? [{ name: 'default', path: NOTIFY }] : []),
    ...targets.map(({ id }, at) => ({ name: id, path: [...NOTIFY, 'targets', at, 'id'] })),
  ];
  for (const { name, path, earlier } of repeats(targetIds)) {
    yield fault('duplicate-target', path, {
      related: [earlier],
      message:
        earlier === NOTIFY
          ? '"default" is the target that flows.notify itself describes'
          : `two targets have the id ${JSON.stringify(name)}`,
      expected: 'a different id for each target',
    });
  }
};

/** A target for routes that do not exist never gets anything. */
export const targetRoutesExist: Rule = function* ({ flows, plugins }) {
  const known = Object.keys(plugins?.entries?.webhooks?.config?.routes ?? {});
  for (const [at, { routes = [] }] of (flows?.notify?.targets ?? []).entries()) {
    for (const [place, route] of routes.entries()) {
      if (known.includes(route)) continue;
      yield warning('unknown-route', [...NOTIFY, 'targets', at, 'routes', place], {
        message: `there is no webhook route ${JSON.stringify(route)}`,
        expected: 'the id of a route in plugins.entries.webhooks.config.routes',
        suggestion: suggestName(route, known),
      });
    }
  }
};

function* writtenReceivers(input: ConfigInput): Generator<{
  readonly path: ConfigPath;
  readonly receiver: Omit<NotifyInput, 'targets'>;
  /** Whether it must be a receiver. */
  readonly isNeeded: boolean;
}> {
  const { targets = [], ...single } = input.flows?.notify ?? {};
  yield { path: NOTIFY, receiver: single, isNeeded: false };
  for (const [at, receiver] of targets.entries()) {
    yield { path: [...NOTIFY, 'targets', at], receiver, isNeeded: true };
  }
  for (const { route, path } of writtenRoutes(input)) {
    const { callback: receiver } = route;
    if (receiver !== undefined) yield { path: [...path, 'callback'], receiver, isNeeded: true };
  }
}

function isPlainAndFar(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  return parsed.protocol === 'http:' && !leadsToLoopback(parsed);
}
