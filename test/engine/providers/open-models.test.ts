import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_MODEL } from '../../../src/engine/providers/local/runtime/store.js';
import { promptsOf } from '../../../src/engine/providers/open-models.js';
import type { TextInput } from '../../../src/engine/providers/vendor.js';

/** What is sent for a question, and for a document. */
const wordsOf = (model: string) => {
  const { write, documentForm } = promptsOf(model);
  const query = (text: string): string => write({ text }, 'query');
  const document = (input: TextInput): string => write(input, 'document');
  return { query, document, documentForm };
};

const test = suite('prompts of open models');

test('embeddinggemma gets the task, and the title in its own place', () => {
  const { query, document, documentForm } = wordsOf(DEFAULT_MODEL);
  assert.is(query('red car'), 'task: search result | query: red car');
  assert.is(document({ text: 'it is red' }), 'title: none | text: it is red');
  assert.is(document({ title: 'Cars', text: 'it is red' }), 'title: Cars | text: it is red');
  assert.is.not(documentForm, '');
});

test('texts are inserted unchanged', () => {
  const { document } = wordsOf('embeddinggemma');
  assert.is(document({ title: '$& {text}', text: '{title}' }), 'title: $& {text} | text: {title}');
});

test('nomic-embed-text gets a prefix for each kind', () => {
  const { query, document } = wordsOf('nomic-embed-text-v1.5.Q8_0.gguf@0123');
  assert.is(query('red car'), 'search_query: red car');
  assert.is(document({ title: 'Cars', text: 'red' }), 'search_document: Cars\n\nred');
});

test('some models prefix only queries, so documents stay comparable', () => {
  for (const name of ['mxbai-embed-large-v1-f16.gguf', 'hf:Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0']) {
    const { query, document, documentForm } = wordsOf(name);
    assert.is(documentForm, '');
    assert.is(document({ text: 'red' }), 'red');
    assert.ok(query('red').endsWith('red'));
    assert.is.not(query('red'), 'red');
  }
});

test('any other model gets the text', () => {
  assert.is(wordsOf('tiny.gguf').query('red'), 'red');
});

test.run();
