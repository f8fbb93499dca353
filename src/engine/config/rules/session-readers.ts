import { isSessionReader, SESSION_READERS } from '../session-readers.js';
import { suggestName } from '../suggest.js';
import type { Rule } from './finding.js';

/** `sessions.readers` must name readers that there are. */
export const sessionReadersAreKnown: Rule = function* (input) {
  for (const [at, reader] of (input.sessions?.readers ?? []).entries()) {
    const name = typeof reader === 'string' ? reader : reader.id;
    if (isSessionReader(name)) continue;
    const suggestion = suggestName(name, SESSION_READERS);
    yield {
      severity: 'fault',
      code: 'unknown-reader',
      path: ['sessions', 'readers', at, ...(typeof reader === 'string' ? [] : ['id'])],
      message: `there is no reader of transcripts ${JSON.stringify(name)}`,
      expected: `one of ${SESSION_READERS.join(', ')}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  }
};

/** Sessions are indexed only where both keys say so; with one of them nothing would happen. */
export const sessionsAreSwitchedOn: Rule = function* (_, scopes) {
  for (const scope of scopes) {
    const { sources, experimental } = scope.settings;
    const [named, switched] = [
      scope.where('sources'),
      scope.where('experimental', 'sessionMemory'),
    ];
    if (sources.includes('sessions') === experimental.sessionMemory) continue;
    if (!scope.owns(named, switched)) continue;
    const path = experimental.sessionMemory ? switched : named;
    if (path === undefined) continue;
    yield {
      severity: 'warning',
      code: 'sessions-half-on',
      path,
      message: experimental.sessionMemory
        ? 'sessionMemory is on, but sources does not name "sessions": no transcript is indexed'
        : 'sources names "sessions", but experimental.sessionMemory is off: no transcript is indexed',
      expected: experimental.sessionMemory
        ? 'sources: ["memory", "sessions"]'
        : 'experimental.sessionMemory: true',
    };
  }
};
