/**
 * Measures search quality: `npm run eval -- --data FOLDER [--provider NAME]`. The folder holds
 * `questions.jsonl` ({conversation, question, category, evidence: [{file, line}]}) and one workspace a
 * conversation.
 *
 * Without a provider, words alone are searched. `fake` is the tests' own provider, whose vectors are
 * hashed words; `noise` one whose vectors mean nothing; other names are those of the configuration.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { resolveStatePaths } from '../../src/engine/context.js';
import { openMemory } from '../../src/engine/memory/open-memory.js';
import { meaningOf, noiseOf } from '../../test/fakes/meaning.js';
import { OPENAI_KEY, startOpenAiFake } from '../../test/fakes/openai.js';
import { meanScores, type QuestionScores, scoreQuestion } from './metrics.js';

const questionSchema = z.object({
  conversation: z.string(),
  question: z.string(),
  category: z.union([z.string(), z.number()]),
  evidence: z.array(z.object({ file: z.string(), line: z.number() })),
});
type Question = z.infer<typeof questionSchema>;

const RESULTS = 10;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      'by-conversation': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      provider: { type: 'string', default: 'none' },
      /** JSON laid over `memorySearch`, for trying settings. */
      settings: { type: 'string', default: '{}' },
    },
  });
  if (values.data === undefined) throw new Error('name the folder: npm run eval -- --data FOLDER');
  const data = resolve(process.env['INIT_CWD'] ?? process.cwd(), values.data);
  const questions = readQuestions(join(data, 'questions.jsonl'));
  const groups = new Map<string, QuestionScores[]>();
  const add = (group: string, scores: QuestionScores): void => {
    groups.set(group, [...(groups.get(group) ?? []), scores]);
  };
  const home = mkdtempSync(join(tmpdir(), 'svc-eval-'));
  const provider = await startProvider(values.provider);
  const settings: unknown = JSON.parse(values.settings);
  const memorySearch = { ...provider.memorySearch, ...Object(settings) };
  writeFileSync(join(home, 'svc.json'), JSON.stringify({ agents: { defaults: { memorySearch } } }));
  try {
    const conversations = [...new Set(questions.map((question) => question.conversation))];
    for (const conversation of conversations) {
      const asked = questions.filter((question) => question.conversation === conversation);
      for (const { question, scores } of await ask(home, join(data, conversation), asked)) {
        add('all', scores);
        add(`category ${question.category}`, scores);
        if (values['by-conversation']) add(conversation, scores);
      }
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
    await provider.close();
  }
  const table = [...groups].map(([group, scores]) => {
    return { group, questions: scores.length, ...meanScores(scores) };
  });
  console.log(values.json ? JSON.stringify(table, null, 2) : formatTable(table));
}

interface Provider {
  readonly memorySearch: Readonly<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

async function startProvider(name: string): Promise<Provider> {
  const close = async (): Promise<void> => undefined;
  if (name !== 'fake' && name !== 'noise') return { memorySearch: { provider: name }, close };
  const vectorOf = name === 'fake' ? meaningOf : noiseOf;
  const fake = await startOpenAiFake({ dimensions: 768, vectorOf });
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  return { memorySearch: { provider: 'openai', remote }, close: fake.close };
}

function readQuestions(file: string): Question[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => questionSchema.parse(JSON.parse(line)));
}

async function ask(
  home: string,
  workspace: string,
  questions: readonly Question[],
): Promise<{ question: Question; scores: QuestionScores }[]> {
  const env = { SVC_HOME: home };
  const memory = await openMemory(
    {
      env,
      cwd: home,
      homeDir: home,
      state: resolveStatePaths(env, home),
      clock: { now: Date.now },
    },
    { kind: 'workspace', dir: workspace },
    { configFile: join(home, 'svc.json') },
  );
  const { embedding } = await memory.backend.sync({});
  if (embedding?.failure !== undefined) throw new Error(embedding.failure.message);
  const scored: { question: Question; scores: QuestionScores }[] = [];
  for (const question of questions) {
    const { results } = await memory.backend.search({
      query: question.question,
      maxResults: RESULTS,
      minScore: 0,
    });
    const evidence = question.evidence.map(({ file, line }) => {
      const text = readFileSync(join(workspace, file), 'utf8').split('\n')[line - 1] ?? '';
      return { file, line, text };
    });
    scored.push({ question, scores: scoreQuestion(results, evidence) });
  }
  await memory.backend.close();
  return scored;
}

function formatTable(
  rows: readonly ({ group: string; questions: number } & QuestionScores)[],
): string {
  const [first] = rows;
  if (first === undefined) return 'no questions';
  const names = Object.keys(first);
  const cell = (name: string, value: string | number): string => {
    if (typeof value === 'string') return value.padEnd(12);
    if (name === 'questions' || name === 'chars') return value.toFixed(0).padStart(9);
    return value.toFixed(3).padStart(9);
  };
  const header = names.map((name) => (name === 'group' ? name.padEnd(12) : name.padStart(9)));
  const body = rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => cell(name, value))
      .join(''),
  );
  return [header.join(''), ...body].join('\n');
}

await main();
