import { symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tinyModel } from '../../../scripts/tiny-gguf/tiny-model.js';
import type { Warning } from '../../../src/engine/errors/index.js';
import { runtimesDir } from '../../../src/engine/providers/local/runtime/store.js';
import { realRuntimes } from '../../support/local-runtime.js';
import { tempFolder } from '../../support/temp-folder.js';
import { rerankerOf } from './support.js';

const test = suite('a local reranking model');

const models = tempFolder();
/** The folder above the runtimes, as the state folder is. */
let stateDir = '';

test.before(async () => {
  const state = tempFolder();
  symlinkSync(await realRuntimes(), runtimesDir(state.path));
  stateDir = state.path;
});

const NOTES = ['my car is red', 'the backup runs nightly', 'coffee and food'];

async function reranked(model: string, passages: readonly string[] = NOTES) {
  const reranker = await rerankerOf({ provider: 'local', model }, { stateDir });
  const warnings: Warning[] = [];
  const answer = await reranker.rerank('is there a backup', passages, warnings);
  await reranker.close();
  return { answer, warning: warnings[0] };
}

test('it scores passages between 0 and 1, and costs nothing', async () => {
  const model = models.write('ranking.gguf', tinyModel({ ranksBy: 'backup' }));
  const { answer, warning } = await reranked(model);
  assert.is(warning, undefined);
  const scores = [0, 1, 2].map((at) => answer?.scores.get(at) ?? Number.NaN);
  assert.ok(scores.every((score) => score > 0 && score < 1));
  assert.is(scores.indexOf(Math.max(...scores)), 1);
  assert.is(answer?.report.tokens, undefined);
});

test('a passage longer than the context is scored in parts', async () => {
  const model = models.write('ranking.gguf', tinyModel({ ranksBy: 'backup', context: 64 }));
  const { answer } = await reranked(model, ['car '.repeat(500), 'the backup runs nightly']);
  assert.is(answer?.scores.size, 2);
});

test('an embedding model is refused by name', async () => {
  const model = models.write('embedding.gguf', tinyModel());
  const { answer, warning } = await reranked(model);
  assert.is(answer, undefined);
  assert.match(warning?.message ?? '', /embedding\.gguf is not a reranking model/);
  assert.match(warning?.hint ?? '', /query\.rerank\.model/);
});

test('a missing file, a missing download and a missing runtime each name the remedy', async () => {
  const missing = await reranked(models.at('none.gguf'));
  assert.match(missing.warning?.message ?? '', /model file not found/);
  const remote = await reranked('hf:someone/reranker-GGUF:Q8_0');
  assert.match(remote.warning?.hint ?? '', /provider install local --model hf:someone/);
  const address = 'https://models.test/reranker.gguf?download=true';
  const linked = await reranked(address);
  assert.match(linked.warning?.hint ?? '', `--model '${address}'`);
  stateDir = tempFolder().path;
  const bare = await reranked(models.at('ranking.gguf'));
  assert.match(bare.warning?.hint ?? '', /svc provider install local/);
});

test.run();
