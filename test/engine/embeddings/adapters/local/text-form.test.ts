import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_MODEL } from '../../../../../src/engine/embeddings/adapters/local/model-reference.js';
import { textFormOf } from '../../../../../src/engine/embeddings/adapters/local/text-form.js';

const test = suite('what models want before a text');

test('embeddinggemma gets the task, and the title in its own place', () => {
  const { write, documentForm } = textFormOf(DEFAULT_MODEL);
  assert.is(write({ text: 'red car' }, 'query'), 'task: search result | query: red car');
  assert.is(write({ text: 'it is red' }, 'document'), 'title: none | text: it is red');
  assert.is(
    write({ title: 'Cars', text: 'it is red' }, 'document'),
    'title: Cars | text: it is red',
  );
  assert.is.not(documentForm, '');
});

test('nomic-embed-text gets a word for each kind', () => {
  const { write } = textFormOf('nomic-embed-text-v1.5.Q8_0.gguf@0123');
  assert.is(write({ text: 'red car' }, 'query'), 'search_query: red car');
  assert.is(write({ title: 'Cars', text: 'red' }, 'document'), 'search_document: Cars\n\nred');
});

test('some want something before questions alone, and then documents stay comparable', () => {
  for (const name of ['mxbai-embed-large-v1-f16.gguf', 'hf:Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0']) {
    const { write, documentForm } = textFormOf(name);
    assert.is(documentForm, '');
    assert.is(write({ text: 'red' }, 'document'), 'red');
    assert.ok(write({ text: 'red' }, 'query').endsWith('red'));
    assert.is.not(write({ text: 'red' }, 'query'), 'red');
  }
});

test('any other model gets the text', () => {
  assert.is(textFormOf('tiny.gguf').write({ text: 'red' }, 'query'), 'red');
});

test.run();
