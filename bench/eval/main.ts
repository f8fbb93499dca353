/**
 * `npm run eval -- [flags and file of svc memory eval]`: runs the command from source in an empty home, with
 * providers and rerankers to compare (vectors.ts).
 *
 *   npm run eval -- --docs                questions on the READMEs of installed packages (docs-corpus.ts)
 *   npm run eval -- --chats FOLDER        questions on a set of conversations (chat-questions.ts)
 *   npm run eval -- --pooled FOLDER       the same with all conversations in one workspace
 *   npm run eval -- --dreamt FOLDER       the same after dreaming (dreamt.ts); compare it with `--baseline`
 *   npm run eval -- --dates               questions that name days of a diary that ends today (dated-notes.ts)
 *   npm run eval -- --words               misspelt, composed and inflected words, and names (word-questions.ts)
 *   npm run eval -- --recalls FOLDER      what active memory recalls of a set of conversations (recalls.ts)
 *   npm run eval -- --same FOLDER [--pooled]  whether PostgreSQL gives the results of SQLite (same-results.ts)
 *   npm run eval -- questions.jsonl       the questions in a file
 *
 * With --encoder URL, the OpenAI-compatible embeddings server there is another provider, `encoder`.
 * With --compare query.rerank.provider=compatible+rerank.model=oracle, the best order of the candidates.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPENAI_KEY, startOpenAiFake } from '../../test/fakes/openai.js';
import { RERANK_KEY, startVllmRerankFake } from '../../test/fakes/rerankers.js';
import { chatQuestions, pooledQuestions } from './chat-questions.js';
import { datedNotes } from './dated-notes.js';
import { docsCorpus } from './docs-corpus.js';
import { dreamtQuestions } from './dreamt.js';
import { recalls } from './recalls.js';
import { sameResults } from './same-results.js';
import { relevanceFor, vectorsFor } from './vectors.js';
import { wordQuestions } from './word-questions.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIMENSIONS = 256;

async function main(all: readonly string[]): Promise<number> {
  if (all[0] === '--same') {
    return sameResults(resolve(callerFolder(), all[1] ?? '.'), all.includes('--pooled'));
  }
  if (all[0] === '--recalls') return recalls(resolve(callerFolder(), all[1] ?? '.'));
  const { argv, encoder } = withoutEncoder(all);
  const home = mkdtempSync(join(tmpdir(), 'svc-eval-'));
  const words = await evalArguments(argv, home);
  const fakes = await Promise.all(
    Object.entries(vectorsFor(words)).map(async ([name, vectorOf]) => {
      const fake = await startOpenAiFake({ dimensions: DIMENSIONS, vectorOf });
      const provider = { api: 'openai', baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
      return { name, provider, close: fake.close };
    }),
  );
  const reranker = await startVllmRerankFake({ relevance: relevanceFor(words) });
  try {
    const remote = { baseUrl: reranker.origin, apiKey: RERANK_KEY };
    const query = { rerank: { provider: 'none', remote } };
    const config = {
      agents: { defaults: { memorySearch: { provider: 'none', query } } },
      models: {
        providers: {
          ...Object.fromEntries(fakes.map(({ name, provider }) => [name, provider])),
          ...(encoder === undefined ? {} : { encoder }),
        },
      },
    };
    const configFile = join(home, 'svc.json');
    writeFileSync(configFile, JSON.stringify(config));
    return await runSvc(['memory', 'eval', ...words, '--config', configFile], home);
  } finally {
    for (const { close } of [...fakes, reranker]) await close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Takes `--encoder URL` from the arguments. */
function withoutEncoder(all: readonly string[]) {
  const at = all.indexOf('--encoder');
  if (at === -1) return { argv: all, encoder: undefined };
  const baseUrl = all[at + 1] ?? '';
  const argv = [...all.slice(0, at), ...all.slice(at + 2)];
  return { argv, encoder: { api: 'openai', baseUrl, apiKey: OPENAI_KEY } };
}

/** Arguments for `svc memory eval`, with the questions of a corpus if one is named. */
async function evalArguments(argv: readonly string[], home: string): Promise<readonly string[]> {
  const [first, second = '.', ...rest] = argv;
  const file = join(home, 'questions.jsonl');
  if (first === '--docs') {
    writeFileSync(file, docsCorpus(join(home, 'docs'), join(ROOT, 'node_modules')));
    return [file, ...argv.slice(1)];
  }
  if (first === '--dates') {
    writeFileSync(file, datedNotes(join(home, 'diary'), new Date()));
    return [file, ...argv.slice(1)];
  }
  if (first === '--words') {
    writeFileSync(file, wordQuestions(join(home, 'words')));
    return [file, ...argv.slice(1)];
  }
  if (first !== '--chats' && first !== '--pooled' && first !== '--dreamt') return argv;
  const questions = chatQuestions(resolve(callerFolder(), second));
  const folder = join(home, 'ws');
  const readQuestions = {
    '--chats': () => questions,
    '--pooled': () => pooledQuestions(questions, folder),
    '--dreamt': () => dreamtQuestions(questions, folder),
  };
  writeFileSync(file, await readQuestions[first]());
  return [file, ...rest];
}

/** The working directory of the user who ran `npm run`. */
function callerFolder(): string {
  return process.env['INIT_CWD'] ?? process.cwd();
}

function runSvc(args: readonly string[], home: string): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/dev.js'), ...args], {
    stdio: 'inherit',
    cwd: callerFolder(),
    env: { ...process.env, SVC_HOME: home },
  });
  // Ctrl-C reaches the child process too, which exits on its own.
  process.on('SIGINT', () => undefined);
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code) => done(code ?? 1));
  });
}

process.exitCode = await main(process.argv.slice(2));
