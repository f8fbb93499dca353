import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { RERANK_KEY, startCohereRerankFake } from '../fakes/rerankers.js';
import { jsonOf } from '../support/json.js';
import { runInPty } from '../support/pty.js';
import { startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';

const test = suite('svc memory eval');

const NOTES: Readonly<Record<string, string>> = {
  'ws/MEMORY.md': '# House\n\nThe roof is new.\n',
  'ws/memory/car.md': '# Car\n\nWe bought a blue estate in May.\n\nIts key hangs by the door.\n',
  'ws/memory/door.md': '# Door\n\nThe bell is broken.\n\nThe janitor fixes it on Monday.\n',
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `ws/memory/bell-${at}.md`,
      `# Bell ${at}\n\nThe bell of house ${at} is broken. The bell rings.\n`,
    ]),
  ),
};

const QUESTIONS = [
  { id: 'car', question: 'Which estate did we buy?', expect: ['memory/car.md#L3'], tags: ['car'] },
  {
    id: 'key',
    question: 'Where is the key?',
    expect: [{ text: 'hangs by the door' }],
    tags: ['car'],
  },
  { id: 'roof', question: 'roof', expect: ['MEMORY.md'], tags: ['house'] },
];

function linesOf(questions: readonly object[]): string {
  return questions.map((question) => `${JSON.stringify(question)}\n`).join('');
}

function homeOf(
  memorySearch: Readonly<Record<string, unknown>> = { provider: 'none' },
  questions: readonly object[] = QUESTIONS,
): TempFolder {
  const agents = { defaults: { workspace: 'ws', memorySearch } };
  const dreaming = { 'memory-core': { config: { dreaming: { enabled: true } } } };
  const config = { agents, plugins: { entries: dreaming } };
  return folderOf({
    'svc.json': JSON.stringify(config),
    'q.jsonl': linesOf(questions),
    ...NOTES,
  });
}

function evaluate({ path: home }: TempFolder, ...args: readonly string[]) {
  return runInSession(['memory', 'eval', ...args], { home });
}

test('prints metrics, tags and times of the configured search, and logs no recalls', async () => {
  const home = homeOf();
  const run = await evaluate(home, 'q.jsonl', '--json');
  const document = jsonOf.eval(run);
  assert.equal([run.code, document.questions, document.agent], [0, 3, 'main']);
  const [variant] = document.variants;
  assert.equal(
    [variant?.name, variant?.mode, variant?.provider],
    ['as configured', 'lexical', null],
  );
  assert.equal([variant?.metrics.recall, variant?.metrics.mrr, variant?.metrics.none], [1, 1, 0]);
  assert.equal(
    variant?.tags.map(({ tag, questions, metrics }) => [tag, questions, metrics.evidence]),
    [
      ['car', 2, 1],
      ['house', 1, null],
    ],
  );
  assert.ok((variant?.latencyMs.p50 ?? 0) > 0);
  assert.equal(document.misses, []);
  const kept = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
  assert.equal(
    kept.filter((name) => /recall/i.test(name)),
    [],
  );
  const text = await evaluate(home, 'q.jsonl');
  assert.match(text.stdout, /^3 questions, 10 results each · as configured: keyword only$/m);
  assert.match(text.stdout, /^tag +n +R@5 +R@10 +MRR +nDCG/m);
  assert.match(text.stdout, /^all +3 +1\.00/m);
});

test('files are found and written below a home folder that no shell has replaced', async () => {
  const home = homeOf();
  const drafts = await evaluate(home, '--generate=2', '--output=~/drafts.jsonl', '--json');
  assert.is(jsonOf.evalDrafts(drafts).file, home.at('drafts.jsonl'));
  const { code } = await evaluate(home, '~/q.jsonl', '--write-baseline=~/before.json');
  assert.equal([code, existsSync(home.at('before.json'))], [0, true]);
  assert.is((await evaluate(home, 'q.jsonl', '--baseline=~/before.json')).code, 0);
});

test('every miss is listed with its reason and the results ranked above it', async () => {
  const home = homeOf({ provider: 'none' }, [
    { id: 'gone', question: 'anything', expect: ['memory/gone.md'] },
    { id: 'short', question: 'the door', expect: ['memory/door.md#L99'] },
    { id: 'words', question: 'the roof', expect: ['memory/car.md#L3'] },
    { id: 'text', question: 'the roof', expect: [{ text: 'words that nobody ever wrote' }] },
    { id: 'lost', question: 'broken bell rings', expect: ['memory/door.md#L3'] },
  ]);
  const { code, stdout } = await evaluate(home, 'q.jsonl', '-n', '3', '--json');
  const { misses } = jsonOf.eval({ code, stdout, stderr: '', signal: null });
  assert.equal(
    misses.map(({ id, why }) => [id, why]),
    [
      ['gone', 'not-indexed'],
      ['short', 'no-such-lines'],
      ['words', 'not-a-candidate'],
      ['text', 'text-unknown'],
      ['lost', 'outranked'],
    ],
  );
  // Of fifteen notes, one has the word.
  const words = misses.find(({ why }) => why === 'not-a-candidate');
  assert.ok(words?.why === 'not-a-candidate' && words.ranked === 1);
  const lost = misses.at(-1);
  assert.ok(lost?.why === 'outranked' && lost.place > 3);
  assert.is(lost.above.length, 3);
  for (const { citation } of lost.above) assert.match(citation, /^memory\/bell-\d+\.md#L/);
  const text = await evaluate(home, 'q.jsonl', '-n', '3', '--misses', '1');
  assert.match(text.stdout, /^5 misses in 5 questions: 1 not indexed, 1 no such lines/m);
  assert.match(
    text.stdout,
    /memory\/gone\.md {2}memory does not cover this file\n {2}4 more; use --misses/,
  );
  for (const results of ['3', '20']) {
    const weak = await evaluate(home, 'q.jsonl', '-n', results, '--min-score', '0.99', '--json');
    const reasons = new Map(jsonOf.eval(weak).misses.map(({ id, why }) => [id, why]));
    assert.is(reasons.get('lost'), 'below-min-score', `-n ${results}`);
  }
});

test('a note that the reranker gets is outranked, not left out', async () => {
  const remote = { baseUrl: 'http://127.0.0.1:9' };
  const home = homeOf(
    { provider: 'none', query: { rerank: { provider: 'compatible', remote, topN: 100 } } },
    [{ id: 'last', question: 'gable stone slate', expect: ['memory/gable-59.md'] }],
  );
  for (let at = 0; at < 60; at++) {
    const own = Array.from({ length: 20 }, (_, word) => `w${at}x${word}`).join(' ');
    const asked = at === 59 ? 'slate' : 'gable stone slate';
    home.write(`ws/memory/gable-${at}.md`, `${asked} ${own}\n`);
  }
  const { misses } = jsonOf.eval(await evaluate(home, 'q.jsonl', '-n', '3', '--json'));
  const [miss] = misses;
  assert.ok(miss?.why === 'outranked' && miss.place > 40, JSON.stringify(misses));
});

test('a conversation longer than one read has all its lines', async () => {
  const talk = 'sessions/main/talk.jsonl';
  const sessions = { sources: ['memory', 'sessions'], experimental: { sessionMemory: true } };
  const home = homeOf({ provider: 'none', ...sessions }, [
    { id: 'late', question: 'heliotrope', expect: [`${talk}#L390`] },
    { id: 'other', question: 'the roof', expect: [`${talk}#L395`] },
    { id: 'beyond', question: 'the roof', expect: [`${talk}#L401`] },
  ]);
  const turns = Array.from({ length: 400 }, (_, at) =>
    at === 389 ? 'Where does the heliotrope grow?' : `filler ${at} `.repeat(80),
  );
  home.write(
    'agents/main/sessions/talk.jsonl',
    turns.map((text) => message('user', text)).join(''),
  );
  const { misses, variants } = jsonOf.eval(await evaluate(home, 'q.jsonl', '--json'));
  assert.equal(
    misses.map(({ id, why }) => [id, why]),
    [
      ['other', 'not-a-candidate'],
      ['beyond', 'no-such-lines'],
    ],
  );
  assert.is(misses[1]?.why === 'no-such-lines' && misses[1].lines, 400);
  // The text of one of the three is in the results.
  assert.is(variants[0]?.metrics.evidence4k, 1 / 3);
});

test("variants are compared with the configured search, and the user's index stays unchanged", async () => {
  const fake = await startOpenAiFake({ dimensions: 64 });
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const home = homeOf({ provider: 'none', remote });
  try {
    await runInSession(['memory', 'index'], { home: home.path });
    const compare =
      'provider=openai,minScore=1+textWeight=1+vectorWeight=0,provider=openai+minScore=0';
    const run = await evaluate(home, 'q.jsonl', '--compare', compare, '--json');
    const { variants } = jsonOf.eval(run);
    assert.is(run.code, 0);
    assert.equal(
      variants.map(({ name, mode }) => [name, mode]),
      [
        ['as configured', 'lexical'],
        ['provider=openai', 'hybrid'],
        ['minScore=1+textWeight=1+vectorWeight=0', 'lexical'],
        ['provider=openai+minScore=0', 'hybrid'],
      ],
    );
    assert.equal(variants[0]?.differences, []);
    const worse = variants[2]?.differences.find(({ metric }) => metric === 'recall');
    assert.ok((worse?.difference ?? 0) < 0);
    assert.is(worse?.beyondChance, false, 'three questions prove nothing');
    const status = await runInSession(['memory', 'status', '--json'], { home: home.path });
    assert.is(jsonOf.status(status).agents[0]?.vectorStore.embedded, 0);
    const trials = (): readonly string[] =>
      readdirSync(home.at('memory/trials')).filter((name) => name.endsWith('.sqlite'));
    assert.is(trials().length, 1, 'variants that index alike share an index');
    const before = fake.requests.length;
    await evaluate(home, 'q.jsonl', '--compare', 'provider=openai', '--json');
    const added = fake.requests.length - before;
    assert.is(added, QUESTIONS.length, 'notes are embedded once, questions each time');
    const forgetting = await runInSession(
      ['memory', 'forget', 'memory/car.md', '--yes', '--json'],
      {
        home: home.path,
      },
    );
    const stores = new Map(
      jsonOf.forget(forgetting).stores.map(({ store, changed }) => [store, changed]),
    );
    assert.is(stores.get('trial indexes'), 1);
    assert.equal(trials(), []);
  } finally {
    await fake.close();
  }
});

test('a provider failure ends the evaluation instead of measuring keyword search only', async () => {
  const fake = await startOpenAiFake({ dimensions: 64 });
  await fake.close();
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const home = homeOf({ provider: 'none', remote });
  const run = await evaluate(home, 'q.jsonl', '--compare', 'provider=openai', '--json');
  assert.equal([run.code, jsonOf.error(run).code], [1, 'PROVIDER_UNREACHABLE']);
});

test('a baseline holds until a metric drops by more than the margin', async () => {
  const home = homeOf();
  const writing = await evaluate(home, 'q.jsonl', '--write-baseline', 'base.json');
  assert.match(writing.stdout, /^baseline written: .*base\.json$/m);
  const same = await evaluate(home, 'q.jsonl', '--baseline', 'base.json', '--margin', '0');
  assert.is(same.code, 0);
  assert.match(same.stdout, /no metric dropped/);
  home.write('ws/memory/car.md', '# Car\n\nSold.\n');
  const dropped = await evaluate(home, 'q.jsonl', '--baseline', 'base.json', '--json');
  const { baseline } = jsonOf.eval(dropped);
  assert.is(dropped.code, 1);
  assert.ok(baseline?.drops.some(({ metric }) => metric === 'recall'));
  assert.is((await evaluate(home, 'q.jsonl', '--baseline', 'base.json', '--margin', '1')).code, 0);
  const other = await evaluate(home, 'q.jsonl', '-n', '5', '--baseline', 'base.json', '--json');
  assert.equal([other.code, jsonOf.error(other).code], [2, 'EVAL_BASELINE_INVALID']);
});

test('drafts go to stdout or a file of their own, and can be evaluated', async () => {
  const home = homeOf();
  const drafted = await evaluate(home, '--generate', '4');
  assert.equal([drafted.code, drafted.stdout.trimEnd().split('\n').length], [0, 4]);
  assert.match(drafted.stderr, /4 questions drafted\nRephrase them in your own words/);
  const file = await evaluate(home, '--generate', '4', '-o', 'drafts.jsonl', '--json');
  const document = jsonOf.evalDrafts(file);
  assert.equal([document.file, document.drafts.length], [home.at('drafts.jsonl'), 4]);
  assert.is(readFileSync(home.at('drafts.jsonl'), 'utf8'), drafted.stdout);
  assert.is(statSync(home.at('drafts.jsonl')).mode & 0o777, 0o600);
  const kept = await evaluate(home, '--generate', '4', '-o', 'drafts.jsonl', '--json');
  assert.equal([kept.code, jsonOf.error(kept).code], [1, 'EVAL_WRITE_FAILED']);
  assert.is((await evaluate(home, '--generate', '4', '-o', 'drafts.jsonl', '--force')).code, 0);
  assert.is((await evaluate(home, 'drafts.jsonl')).code, 0);
  home.write('ws/memory/red.md', '# Red\u009B31m\u202E\n\nThe red bell rings at noon.\n');
  const session = runInPty(['memory', 'eval', '--generate', '40'], {
    home: home.path,
    lines: true,
  });
  assert.is(await session.ended, 0);
  assert.match(session.output(), 'about Red\\u009b31m\\u202e?');
});

test('a question may name the folder to search, relative to its file', async () => {
  const home = homeOf({ provider: 'none' }, [
    { question: 'which estate', expect: ['memory/car.md#L3'], workspace: 'ws' },
    { question: 'the bicycle', expect: ['bike.md'], workspace: './other' },
  ]);
  home.write('other/bike.md', 'The bicycle is red.\n');
  const document = jsonOf.eval(await evaluate(home, 'q.jsonl', '--json'));
  assert.equal([document.agent, document.variants[0]?.metrics.recall], [null, 1]);
});

test('usage errors are reported before anything is indexed', async () => {
  const home = homeOf();
  const { stderr } = await evaluate(home, '--workspace', 'ws');
  assert.match(stderr, '"svc memory eval --generate 20 --workspace ws"');
  const attempts: readonly (readonly [readonly string[], string])[] = [
    [[], 'USAGE'],
    [['q.jsonl', '--compare', 'textWieght=1'], 'USAGE'],
    [['q.jsonl', '--compare', 'textWeight=7'], 'USAGE'],
    [['q.jsonl', '--generate', '3'], 'USAGE'],
    [['q.jsonl', '-o', 'x'], 'USAGE'],
    [['nowhere.jsonl'], 'EVAL_QUESTIONS_INVALID'],
    [['q.jsonl', '--baseline', 'nowhere.json'], 'EVAL_BASELINE_INVALID'],
  ];
  for (const [args, code] of attempts) {
    const run = await evaluate(home, ...args, '--json');
    assert.equal([run.code, jsonOf.error(run).code], [2, code], args.join(' '));
  }
  home.write('bad.jsonl', `${linesOf(QUESTIONS)}{"question": "x"}\n`);
  const bad = await evaluate(home, 'bad.jsonl');
  assert.match(bad.stderr, /"expect" must be a list/);
  assert.match(bad.stderr, /bad\.jsonl:4/);
  assert.not.ok(existsSync(join(home.path, 'memory')));
});

test('Ctrl-C ends it between two questions', async () => {
  const many = Array.from({ length: 20_000 }, (_, at) => {
    return { question: `bell of house ${at}`, expect: ['memory/door.md'] };
  });
  const home = homeOf({ provider: 'none' }, many);
  const run = startSvc(['memory', 'eval', 'q.jsonl'], { home: home.path });
  await run.waitForText('asking: ');
  run.child.kill('SIGINT');
  const { code, signal, stdout, stderr } = await run.done;
  assert.equal([code, signal, stdout], [130, null, '']);
  assert.match(stderr, /error: stopped/);
});

test('a reranker is compared, with its cost', async () => {
  const fake = await startCohereRerankFake();
  try {
    const remote = { baseUrl: `${fake.origin}/v2`, apiKey: RERANK_KEY };
    const settings = { provider: 'none', query: { rerank: { provider: 'none', remote } } };
    const home = homeOf(settings, [{ question: 'broken bell', expect: ['memory/door.md'] }]);
    const args = ['q.jsonl', '--compare', 'query.rerank.provider=cohere'];
    const run = await evaluate(home, ...args, '--json');
    const [configured, reranked] = jsonOf.eval(run).variants;
    assert.is(configured?.rerank, null);
    const cost = { failed: 0, tokens: 0, searchUnits: 1 };
    assert.equal(reranked?.rerank, { name: 'cohere/rerank-v3.5', questions: 1, ...cost });
    // The scores are cached.
    const again = await evaluate(home, ...args);
    assert.match(again.stdout, /query\.rerank\.provider=cohere: keyword only, reranked by cohere/);
    assert.not.match(again.stdout, /search unit/);
    assert.not.match(again.stdout + again.stderr, new RegExp(RERANK_KEY));
  } finally {
    await fake.close();
  }
});

test('--output never replaces a special file such as /dev/null', async () => {
  const home = homeOf();
  execFileSync('mkfifo', [home.at('pipe')]);
  const runs = [
    await evaluate(home, 'q.jsonl', '--write-baseline', 'pipe'),
    await evaluate(home, '--generate', '1', '--force', '--output', 'pipe'),
    await runInSession(['memory', 'export', '--force', '--output', 'pipe'], { home: home.path }),
  ];
  for (const { code, stderr } of runs) {
    assert.is(code, 1, stderr);
    assert.match(stderr, /cannot write .*pipe: it is not a regular file/u);
  }
  assert.ok(lstatSync(home.at('pipe')).isFIFO());
});

test('--output through a link keeps the link and replaces its target', async () => {
  const home = homeOf();
  symlinkSync('target', home.at('link'));
  for (const write of [
    () => evaluate(home, 'q.jsonl', '--write-baseline', 'link'),
    () => evaluate(home, '--generate', '1', '--force', '--output', 'link'),
    () => runInSession(['memory', 'export', '--force', '--output', 'link'], { home: home.path }),
  ]) {
    writeFileSync(home.at('target'), 'old');
    const { code, stderr } = await write();
    assert.is(code, 0, stderr);
    assert.ok(lstatSync(home.at('link')).isSymbolicLink());
    assert.not.equal(readFileSync(home.at('target'), 'utf8'), 'old');
  }
});

test.run();
