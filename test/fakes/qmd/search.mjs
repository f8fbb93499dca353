/** `search`, `vsearch` and `query`. */
import { numbered, snippetOf } from './snippets.mjs';
import { pendingOf, readCollections, readIndex } from './store.mjs';
import { searchWords, stemsOf } from './words.mjs';

const MIN_SIMILARITY = 0.3;

/** The answer to `qmd <mode> <question>` with its options. */
export function searchAnswer({ places, release, command: mode, question, values, shape }) {
  const names = [values.collection ?? []].flat();
  const json = values.json === true || values.format === 'json';
  const collections = readCollections(places);
  const unknownName = names.find((name) => !collections.some((one) => one.name === name));
  const index = readIndex(places);
  const stderr = mode === 'search' ? '' : embeddingWarning(index);
  if (unknownName !== undefined) {
    return { status: 1, stdout: '', stderr: `Collection not found: ${unknownName}\n` };
  }
  const found = findDocuments(index, mode, question, { names, release });
  const minScore = Number(values['min-score'] ?? 0) || 0;
  const limit = Number.parseInt(values.n, 10) || (json ? 20 : 5);
  const best = found.filter(({ score }) => score >= minScore).slice(0, limit);
  if (best.length === 0) {
    return { status: 0, stdout: emptyAnswer(found.length === 0, json, release), stderr };
  }
  const rows = best.map((document) => rowOf(document, question, { values, release, shape }));
  const text = json ? JSON.stringify(rows, null, 2) : rows.map(rowText).join('\n\n');
  return { status: 0, stdout: `${text}\n`, stderr };
}

/**
 * The documents that answer a question, best first. Without vectors `vsearch` finds nothing. The
 * fake has no models: a document is similar to the question if it shares words with it.
 */
export function findDocuments(index, mode, question, { names, release }) {
  const live = index.documents.filter((one) => one.active);
  const isInScope = (one) => names.length === 0 || names.includes(one.collection);
  const withColumns = live.map((one) => ({
    ...one,
    columns: [`${one.collection}/${one.path}`, one.title, one.text],
  }));
  const byWords = () => searchWords(withColumns, question, release).filter(isInScope);
  if (mode === 'search') return byWords();
  const questionStems = stemsOf(question);
  const similar = live
    .filter((one) => isInScope(one) && index.embedded.includes(one.hash))
    .map((one) => {
      const stems = new Set(stemsOf(one.text));
      return {
        ...one,
        score: questionStems.filter((stem) => stems.has(stem)).length / questionStems.length,
      };
    })
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score);
  if (mode === 'vsearch') return similar;
  const fused = [...similar, ...byWords()];
  return fused.filter((one, at) => fused.findIndex((other) => sameDocument(one, other)) === at);
}

function sameDocument(one, other) {
  return one.collection === other.collection && one.path === other.path;
}

function embeddingWarning(index) {
  const pending = pendingOf(index);
  if (pending === 0) return '';
  const percent = Math.round((pending / index.documents.filter((one) => one.active).length) * 100);
  return percent >= 10
    ? `Warning: ${pending} documents (${percent}%) need embeddings. Run 'qmd embed' for better results.\n`
    : `Tip: ${pending} documents need embeddings. Run 'qmd embed' to index them.\n`;
}

function emptyAnswer(nothing, json, { sentences }) {
  const printsSentence = nothing ? sentences.nothing : sentences.belowMinimum;
  if (json && !printsSentence) return '[]\n';
  return nothing ? 'No results found.\n' : 'No results found above minimum score threshold.\n';
}

function rowOf(document, question, { values, release, shape }) {
  const { line, from, count, snippet } = snippetOf(document.text, question);
  const shown = values['line-numbers'] ? (text) => numbered(text) : (text) => text;
  const text = values.full ? { body: shown(document.text) } : { snippet: shown(snippet) };
  const row = {
    docid: `#${document.hash.slice(0, 6)}`,
    score: Math.round(document.score * 100) / 100,
    file: `qmd://${document.collection}/${document.path}`,
    ...(release.lineField ? { line } : {}),
    title: document.title,
    ...text,
  };
  if (shape !== 'fields') return row;
  const { collection, score, docid } = { ...document, ...row };
  const plain = snippet.split('\n').slice(1).join('\n');
  const lines = { start_line: from, end_line: from + count - 1 };
  return { docid, score, collection, file: row.file, snippet: plain, body: plain, ...lines };
}

function rowText({ file, docid, title, score, snippet }) {
  return `${file} ${docid}\nTitle: ${title}\nScore: ${Math.round(score * 100)}%\n\n${snippet}`;
}
