import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConfigInput, resolveConfig } from '../../../src/engine/config/index.js';
import { opensSameFlows } from '../../../src/engine/flows/index.js';

const test = suite('the policy of flows');

const URL = 'postgres://svc@db.example/one';
const NOTIFY = { command: ['true'] };
const PROVIDERS = { providers: { vault: { source: 'env', allowlist: ['URL'] } } } as const;
const REFERRED: ConfigInput = {
  storage: { url: { source: 'env', provider: 'vault', id: 'URL' } },
  secrets: PROVIDERS,
};

const SAME: readonly (readonly [what: string, one: ConfigInput, other: ConfigInput])[] = [
  ['other logs', {}, { logging: { level: 'debug' } }],
  [
    'other providers of secrets',
    { storage: { url: URL } },
    { storage: { url: URL }, secrets: PROVIDERS },
  ],
];

const OTHER: readonly (readonly [what: string, one: ConfigInput, other: ConfigInput])[] = [
  ['a server instead of a file', {}, { storage: { url: URL } }],
  ['another server', { storage: { url: URL } }, { storage: { url: `${URL}2` } }],
  [
    'another place of the URL',
    REFERRED,
    { ...REFERRED, secrets: { providers: { vault: { source: 'env' } } } },
  ],
  ['other settings', {}, { flows: { retentionDays: 3 } }],
  ['somebody to notify', {}, { flows: { notify: NOTIFY } }],
];

for (const [what, one, other] of SAME) {
  test(`${what} open the same`, () => {
    assert.ok(opensSameFlows(resolveConfig(one), resolveConfig(other)));
  });
}

for (const [what, one, other] of OTHER) {
  test(`${what} opens others`, () => {
    assert.not.ok(opensSameFlows(resolveConfig(one), resolveConfig(other)));
  });
}

test.run();
