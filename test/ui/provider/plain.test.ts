import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnosis } from '../../../src/engine/embeddings/output-schemas.js';
import { textWidth } from '../../../src/ui/fit.js';
import { renderDiagnosis } from '../../../src/ui/provider/check-lines.js';
import { renderProviderList } from '../../../src/ui/provider/list.js';
import { createStyle } from '../../../src/ui/style.js';
import { aProvider, REFUSED } from './provider-builders.js';

const style = createStyle(false);

function linesOf(diagnosis: Diagnosis, columns?: number): readonly string[] {
  const text = renderDiagnosis(diagnosis, 'provider path of agent main', { style, columns });
  return text.trimEnd().split('\n');
}

test('a diagnosis shows the checks, and for each problem the cause and what to do', () => {
  assert.equal(linesOf(REFUSED), [
    'provider path of agent main',
    '  ✓ selected    corp (openai)                 svc.json:14 agents.list[0].memorySearch.provider',
    '  ✓ key         models.providers.corp.apiKey (env CORP_KEY)',
    '                set, 51 characters · svc.json:30',
    '  ✓ endpoint    https://emb.corp.example/v1   TLS ok · 38 ms',
    '  ✗ embed       text-embedding-3-small        PROVIDER_AUTH',
    '                401 Incorrect API key provided\\e[2J. (invalid_api_key)',
    '                → check the key from models.providers.corp.apiKey; test it with "svc provider test corp"',
    '  – batch       off                           not available',
    '  ✗ fallback    gemini                        PROVIDER_UNREACHABLE',
    '                host not found',
    '                → check that generativelanguage.googleapis.com is reachable from this machine',
    '  ! vectors     sqlite-vec 0.1.9              13,000 of 13,115 passages · 1,536 dimensions',
    '                115 passages have no vector yet',
    '                → run "svc memory index" to embed them; until then only keyword search finds them',
    '  broken: keyword search only until this is fixed',
  ]);
});

test('one passage is in the singular', () => {
  const checks = REFUSED.checks.map((one) =>
    one.check === 'vectors' ? { ...one, passages: { done: 0, all: 1 } } : one,
  );
  assert.match(linesOf({ ...REFUSED, checks }).join('\n'), / 0 of 1 passage ·/u);
});

test('a diagnosis ends with its conclusion', () => {
  const last = (fields: Partial<Diagnosis>): string =>
    linesOf({ ...REFUSED, ...fields })
      .at(-1)
      ?.trim() ?? '';
  assert.is(last({ ok: true, usable: 'primary' }), 'works: corp embeds');
  assert.is(
    last({ ok: true, usable: 'fallback' }),
    'corp fails; the fallback gemini is used instead',
  );
  assert.is(last({ scope: 'named' }), 'corp cannot embed');
  assert.is(
    last({ ok: true, usable: null, provider: null, checks: [] }),
    'no provider: keyword search only',
  );
});

for (const columns of [60, 80, 120]) {
  test(`at ${columns} columns no line of a diagnosis or a list is wider, and nothing is lost`, () => {
    const lines = linesOf(REFUSED, columns);
    for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    const words = lines.join(' ').replaceAll(/\s+/g, '');
    for (const { text, cause = '' } of REFUSED.checks) {
      assert.ok(words.includes(text.replaceAll(' ', '')), text);
      assert.ok(words.includes(cause.replaceAll(' ', '').replaceAll('\u001B', '\\e')), cause);
    }
    const providers = [
      aProvider({ role: 'primary', why: 'auto-detected by env OPENAI_API_KEY' }),
      aProvider({
        provider: 'a-provider-with-a-very-long-name',
        endpoint: 'https://emb.corp.example/v1',
        autoPlace: null,
      }),
    ];
    const list = renderProviderList(providers, { style, columns });
    for (const line of list.split('\n')) assert.ok(textWidth(line) <= columns, line);
    assert.match(list, /● {2}openai/);
    assert.match(list.replaceAll(/\s+/g, ' '), /used: auto-detected by env OPENAI_API_KEY/);
  });
}

test('the list in a pipe shows everything, and why each provider is used or not', () => {
  const providers = [
    aProvider({
      role: 'primary',
      credential: { state: 'found', source: 'env OPENAI_API_KEY', set: true, hint: null },
      why: 'auto-detected by env OPENAI_API_KEY',
    }),
    aProvider({
      provider: 'x\u001B[2J',
      role: 'fallback',
      endpoint: 'http://127.0.0.1:8080/v1',
      credential: { state: 'not_needed', source: null, set: null, hint: null },
      cost: 'unknown',
      autoPlace: null,
      dimensions: null,
      model: 'hf:somebody/repo/model.gguf',
      why: 'memorySearch.fallback',
    }),
  ];
  const text = renderProviderList(providers, { style, columns: undefined });
  assert.equal(text.trimEnd().split('\n'), [
    '   provider  key                      model                    dims  cost       batch   auto',
    '●  openai    env OPENAI_API_KEY, set  text-embedding-3-small  1,536  per token  yes        3',
    '○  x\\e[2J    not needed               model.gguf                  –  custom     yes    never',
    '',
    '  openai (general-vendor)  used: auto-detected by env OPENAI_API_KEY',
    '  x\\e[2J (openai)          fallback: memorySearch.fallback · http://127.0.0.1:8080/v1',
  ]);
  assert.match(
    renderProviderList([aProvider()], { style, columns: undefined }),
    /^No provider is in use: keyword search only\.\n/,
  );
});

test('colour changes nothing else', () => {
  const options = { columns: 100 };
  const painted = renderDiagnosis(REFUSED, 'x', { ...options, style: createStyle(true) });
  const without = renderDiagnosis(REFUSED, 'x', { ...options, style });
  assert.is(stripVTControlCharacters(painted), without);
});

test.run();
