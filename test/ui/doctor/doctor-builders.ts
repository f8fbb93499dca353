import type { CheckResult, DoctorReport, Finding, Fix } from '../../../src/engine/doctor/check.js';

const FILE = '/home/ada/.svc/svc.json';

/** A fix that changes nothing. */
export function fixOf(
  title: string,
  safe = true,
  apply: Fix['apply'] = async () => undefined,
): Fix {
  return {
    title,
    safe,
    diff: [
      { kind: 'context', text: '  "webhooks": {' },
      { kind: 'removed', text: '    "enabeld": true,' },
      { kind: 'added', text: '    "enabled": true,' },
    ],
    changes: 'configuration',
    apply,
  };
}

/** A mistyped key, with its place and a safe fix. */
export const MISTYPED: Finding = {
  code: 'unknown-key',
  severity: 'fault',
  message: 'unknown key "enabeld" in plugins.entries.webhooks',
  place: { file: FILE, line: 4, column: 5 },
  text: `{\n"plugins": {\n  "webhooks": {\n    "enabeld": true,\n  }\n}\n}\n`,
  hint: 'did you mean "enabled"?',
  fix: fixOf('rename "enabeld" to "enabled"'),
};

/** A secret that other users can read: a fault of another check. */
export const READABLE: Finding = {
  code: 'secret-readable',
  severity: 'fault',
  message: 'the secret file /home/ada/.svc/auth/github-copilot.json is not yours alone',
  cause: 'mode 0644, should be 0600: a login lets whoever has it act in your name',
  place: { file: '/home/ada/.svc/auth/github-copilot.json' },
  hint: 'chmod 0600 /home/ada/.svc/auth/github-copilot.json',
  fix: fixOf('set the mode of /home/ada/.svc/auth/github-copilot.json to 0600'),
};

/** A finding that needs no fix. */
export const STALE: Finding = {
  code: 'index-stale',
  severity: 'note',
  message: '3 changed files are not in the index of agent main yet',
  cause: 'the next search indexes them',
};

/** The result of a check with these findings. */
export function resultOf(check: string, findings: readonly Finding[] = []): CheckResult {
  const worst = findings.some(({ severity }) => severity === 'fault') ? 'fault' : 'ok';
  return { check, state: worst, summary: `${check} checked`, findings };
}

/** Two faults and a note in five checks. */
export const SICK: DoctorReport = {
  ok: false,
  counts: { ok: 3, warnings: 0, faults: 2 },
  checks: [
    resultOf('configuration', [MISTYPED]),
    resultOf('permissions', [READABLE]),
    resultOf('index', [STALE]),
    resultOf('disk'),
    resultOf('clock'),
  ],
};
